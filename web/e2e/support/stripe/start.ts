import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { FrameLocator, Page } from "@playwright/test";
import { test as base } from "../journey";

/** The signing secret of the provider's webhooks. */
const SECRET = "whsec_provider";

interface Intent {
  readonly id: string;
  readonly amount: number;
  readonly status: string;
}

/** The provider's books: its requests, and the money moved. */
export interface ProviderBooks {
  readonly faults: readonly string[];
  readonly intents: readonly Intent[];
  readonly refunds: readonly { readonly amount: number }[];
  readonly customers: readonly object[];
  readonly cards: readonly { readonly id: string; readonly customer: string | null }[];
}

/** The test provider that implements Stripe's API, with its replacement for Stripe's script. */
export interface Provider {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** One of its calls for tests. */
  call(name: string, body?: object): Promise<unknown>;
  books(): Promise<ProviderBooks>;
  /** The paid amounts, in minor units. */
  paid(): Promise<number[]>;
}

interface StripeFixtures {
  provider: Provider;
  /** Registers the worker's address for the provider's webhooks. */
  webhooks: undefined;
}

/** A journey in `stripe` mode: a worker that is paid through a provider of its own. */
export const test = base.extend<StripeFixtures>({
  provider: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from the pattern.
    async ({}, use) => {
      const script = join(import.meta.dirname, "provider.mjs");
      const child = spawn(process.execPath, [script, "--child"], { stdio: ["pipe", "pipe", "inherit"] });
      const [line] = await once(createInterface({ input: child.stdout }), "line");
      const origin = String(line).replace("provider listening on ", "");
      const call = async (name: string, body: object = {}): Promise<unknown> => {
        const sent = await fetch(`${origin}/test/${name}`, { method: "POST", body: JSON.stringify(body) });
        return sent.json();
      };
      const books = async () => (await call("books")) as ProviderBooks;
      const paid = async () => {
        const { intents } = await books();
        return intents.filter(({ status }) => status === "succeeded").map(({ amount }) => amount);
      };
      await use({ origin, call, books, paid });
      const { faults } = await books();
      child.stdin.end();
      child.kill("SIGKILL");
      if (faults.length > 0) throw new Error(`Stripe would not have accepted or answered: ${faults.join("; ")}`);
    },
    { scope: "test" },
  ],
  flags: async ({ provider }, use) => {
    await use([
      "--payments=stripe",
      "--stripe-secret-key=sk_test_provider",
      "--stripe-publishable-key=pk_test_provider",
      `--stripe-webhook-secret=${SECRET}`,
      `--stripe-base-url=${provider.origin}`,
      `--stripe-script-url=${provider.origin}/stripe.js`,
    ]);
  },
  webhooks: [
    async ({ provider, worker }, use) => {
      await provider.call("plan", { webhooks: { url: `${worker.origin}/webhooks/stripe`, secret: SECRET } });
      await use(undefined);
    },
    { auto: true },
  ],
});

/** The frame of the payment element. */
export const cardFrame = (page: Page): FrameLocator => page.frameLocator('iframe[title="Secure payment input frame"]');
/** The frame of the bank's question. */
export const bankFrame = (page: Page): FrameLocator => page.frameLocator('iframe[title="3D Secure authentication"]');

/** Types a card into the payment element. */
export async function fillCard(page: Page, number: string): Promise<void> {
  const frame = cardFrame(page);
  await frame.getByLabel("Card number").fill(number);
  await frame.getByLabel("Expiration date").fill("12 / 40");
  await frame.getByLabel("Security code").fill("123");
}
