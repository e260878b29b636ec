// @vitest-environment jsdom
import { expect, vi } from "vitest";
import { openStateDatabase } from "../../storage/stateDatabase";
import { journey, type Page } from "../testing/journey";

const DAY_MS = 86_400_000;
const BATCH = "POST /datalake/batch";

/** The bodies of a kind that the datalake has received, oldest first. */
const received = (page: Page, path: string) =>
  [...page.channel.state.analytics.values()]
    .filter((event) => event.path === path)
    .map(({ body }) => body as { readonly [field: string]: unknown });
const events = (page: Page) => received(page, "/datalake/event/");
const sessions = (page: Page) => received(page, "/datalake/session/");
const visits = (page: Page) =>
  events(page).flatMap(({ event, extras }) => (event === "visit" ? [(extras as { page: string }).page] : []));
const isCalled = (page: Page): boolean =>
  page.channel.exchanges.some(({ operation }) => / \/datalake\//.test(operation));

interface Outbox {
  readonly waiting: number;
  readonly profile: string | null;
}

/** The browser's waiting analytics and its analytics key, once `holds` accepts them. */
async function untilOutbox({ browser }: Page, holds: (outbox: Outbox) => boolean): Promise<void> {
  const outbox = openStateDatabase().storage("outbox");
  let found: Outbox | null = null;
  const look = async (): Promise<void> => {
    const identity = await outbox.getItem<{ profile?: string }>("analytics-identity");
    found = { waiting: (await outbox.entries("analytics/")).length, profile: identity?.profile ?? null };
  };
  await browser.until(() => {
    look();
    if (found === null || !holds(found)) throw new Error(`the outbox has ${JSON.stringify(found)}`);
  });
}

journey(
  "a channel that requires consent receives nothing before it, everything after it, and nothing that waited when it was withdrawn (ANA-7)",
  async (page) => {
    page.channel.state.catalogue.settings.analytics = { consent: true, respect_dnt: true };
    await page.goto("/");
    await page.sees("Allow analytics?");
    await page.press("About");
    await page.within("main h1", "About").appears();
    await page.pass(5_000);
    expect(isCalled(page)).toBe(false);
    await untilOutbox(page, ({ waiting, profile }) => waiting === 0 && profile === null);

    await page.press("Allow");
    await page.browser.until(() => expect(visits(page)).toEqual(["/about"]));

    // Events recorded now wait: the datalake is unreachable.
    page.channel.fail(BATCH, "away");
    await page.press("Privacy policy");
    await page.within("main h1", "Privacy policy").appears();
    await untilOutbox(page, ({ waiting }) => waiting > 0);
    await page.press("Turn off analytics");
    await page.sees("Turn on analytics");
    await untilOutbox(page, ({ waiting }) => waiting === 0);
    page.channel.heal();
    await page.press("Terms & conditions");
    await page.within("main h1", "Terms & conditions").appears();
    await page.pass(1_000);

    await page.press("FAQ");
    await page.within("main h1", "Questions and answers").appears();
    // A page counts as opened a moment after its heading appears.
    await page.pass(1_000);
    await page.press("Turn on analytics");
    await page.browser.until(() => expect(visits(page).length).toBeGreaterThan(1));
    await page.pass(5_000);
    expect(visits(page)).toEqual(["/about", "/faq"]);
    // Consenting again starts another profile, in a session of its own.
    expect(new Set(sessions(page).map(({ profile }) => profile)).size).toBe(2);
    expect(sessions(page)).toHaveLength(2);
  },
);

journey("a site on the developer's own machine records its visits and sends nothing (ANA-3)", async (page) => {
  page.browser.config.public.analytics_allow_localhost = false;
  await page.goto("/");
  await page.press("Packages");
  await page.within("main h1", "Packages").appears();
  await page.press("Home");
  await untilOutbox(page, ({ waiting }) => waiting > 2);
  await page.pass(10_000);
  expect(isCalled(page)).toBe(false);
  await untilOutbox(page, ({ profile }) => profile === null);
});

journey(
  "a viewer who returns after a day gets a new session, without events of the day before (ANA-1a, ANA-11a, ANA-11b)",
  async (page) => {
    await page.goto("/faq");
    await page.browser.until(() => expect(events(page)).toHaveLength(1));
    await page.pass(2_000);
    vi.setSystemTime(Date.now() + DAY_MS);
    await page.goto("/packages");
    await page.browser.until(() => expect([sessions(page).length, events(page).length]).toEqual([2, 2]));
    const [first, second] = sessions(page).map(({ session }) => session);
    expect(second).not.toBe(first);
    expect(events(page)).toMatchObject([
      { extras: { page: "/faq" }, session_uuid: first },
      { extras: { page: "/packages" }, session_uuid: second },
    ]);
  },
);
