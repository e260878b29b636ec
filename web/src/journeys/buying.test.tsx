// @vitest-environment jsdom
import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { anEvent, anOrder, aPackage, paid } from "../sagas/testing/resources";
import { type Script, viewer } from "../sagas/testing/world";
import { card, EVENT, payButton, payUntilProcessing } from "./testing/buyPage";
import { showPage, type TestPage } from "./testing/page";

afterEach(cleanup);

const OTHER = "/buy?type=event&event_id=101&single_event_package_id=501";

const script = (): Script => ({
  ...viewer(),
  "api.getEvent": ({ id }) => anEvent({ id, single_event_package_id: 400 + id, name: `Game ${id}` }),
  "api.getPackage": () => aPackage(),
  "api.listCards": () => [card],
  "api.buy": ({ id }) => anOrder({ product: { id, name: `Game ${id}`, event_category_id: 11 } }),
  "api.getOrder": () => anOrder(),
});

async function payFor(path: string): Promise<TestPage> {
  const page = await showPage(path, script());
  await payUntilProcessing(page);
  return page;
}

describe("a page that sells something, while another purchase is in progress (PAY)", () => {
  it("says so, sells nothing meanwhile, and shows no result of the other", async () => {
    const page = await payFor(EVENT);
    expect(screen.getByRole("dialog", { name: /^Paying/ })).toBeTruthy();
    await page.go(OTHER);
    await page.pass();
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(await screen.findByText(/^Your payment for Game 100 is still being processed/)).toBeTruthy();
    expect((await payButton()).disabled).toBe(true);
    page.world.script["api.getOrder"] = () => paid();
    await page.pass(2_000);
    expect(page.world.state().purchase.at).toBe("succeeded");
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(screen.queryByText(/still being processed/)).toBeNull();
    expect((await payButton()).disabled).toBe(false);
  });

  it("links to the other's page, where the purchase continues", async () => {
    const page = await payFor(EVENT);
    await page.go(OTHER);
    fireEvent.click(await screen.findByRole("link", { name: "View payment" }));
    await page.pass();
    expect(await screen.findByRole("dialog", { name: /^Paying/ })).toBeTruthy();
  });

  it("shows the other's failure as any page does, and links to it", async () => {
    const page = await payFor(EVENT);
    await page.go(OTHER);
    page.world.script["api.getOrder"] = () => anOrder({ status: "failed", version: 2, failure: "It was declined." });
    await page.pass(2_000);
    expect(await screen.findByRole("dialog", { name: "Payment failed" })).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Use another card" }));
    await page.pass();
    expect(`${page.router.state.location.pathname}${page.router.state.location.search}`).toBe(EVENT);
  });
});

describe("a purchase whose page was left (PAY)", () => {
  /** The page stays until the next one is loaded, and would show the result. */
  async function leave(page: TestPage): Promise<void> {
    await page.go("/packages");
    await waitFor(() => expect(screen.queryByRole("dialog", { name: /^Paying/ })).toBeNull());
  }

  it("shows its result when the viewer returns", async () => {
    const page = await payFor(EVENT);
    await leave(page);
    page.world.script["api.getOrder"] = () => paid();
    await page.pass(2_000);
    await page.go(EVENT);
    expect(await screen.findByText("Paid. Enjoy the game.")).toBeTruthy();
  });

  it("can be repeated after a refund", async () => {
    const page = await payFor(EVENT);
    await leave(page);
    page.world.script["api.getOrder"] = () => paid({ status: "refunded", activity_status: "inactive" });
    await page.pass(2_000);
    await page.go(EVENT);
    expect((await payButton()).disabled).toBe(false);
  });

  it("offers another card after a refusal, and not the refused one", async () => {
    const page = await payFor(EVENT);
    page.world.script["api.getOrder"] = () => anOrder({ status: "failed", version: 2, failure: "It was declined." });
    await page.pass(2_000);
    fireEvent.click(await screen.findByRole("button", { name: "Use another card" }));
    await page.pass();
    expect((screen.getByRole("radio", { name: /^New card/ }) as HTMLInputElement).checked).toBe(true);
  });
});
