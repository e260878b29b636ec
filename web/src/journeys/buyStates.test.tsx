// @vitest-environment jsdom
import { cleanup, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { PortError } from "../ports/error";
import { anEvent, anOrder, aPackage, aSubscription } from "../sagas/testing/resources";
import { openWorld, refusing, type Script, silence, viewer } from "../sagas/testing/world";
import {
  applyCode,
  buyer,
  card,
  coupon,
  EVENT,
  payButton,
  payUntilProcessing,
  promoField,
  typeCard,
} from "./testing/buyPage";
import { until } from "./testing/calls";
import { showPage, showWorld } from "./testing/page";

// The buy page's states besides its total: another price, a declined card, an interruption, a blocked region.

afterEach(cleanup);

describe("a price that changed while the page was open (PAY-10)", () => {
  const price = { base_price: 1199, discount: 0, service_fee: 100, total: 1299, currency: "USD" };
  const changed = (now: object) => (): never => {
    throw new PortError({
      code: "price_changed",
      message: "The price has changed.",
      status: 409,
      details: { price: now as never },
    });
  };

  it("is displayed beside the old one, and is paid by another press under another key", async () => {
    const page = await showPage(EVENT, { ...buyer(), "api.buy": changed(price) });
    fireEvent.click(await payButton());
    await page.pass();
    const dialog = await screen.findByRole("dialog", { name: "The price is now $12.99" });
    expect(dialog.textContent).toContain("You haven’t been charged.");
    expect(dialog.querySelector("s")?.textContent).toBe("$10.99");
    page.world.script["api.buy"] = () => anOrder();
    fireEvent.click(within(dialog).getByRole("button", { name: "Pay $12.99" }));
    await page.pass();
    const [first, second] = page.world.calls("api.buy");
    expect(first).toMatchObject({ expected_total: 1099, expected_service_fee: 100, currency: "USD" });
    expect(second).toMatchObject({ expected_total: 1299, payment_method_id: "pm" });
    expect(second?.idempotency_key).not.toBe(first?.idempotency_key);
  });

  it("isn't presented again on another page, nor when the viewer returns", async () => {
    const page = await showPage(EVENT, { ...buyer(), "api.buy": changed(price) });
    fireEvent.click(await payButton());
    await page.pass();
    await screen.findByRole("dialog", { name: "The price is now $12.99" });
    await page.go("/about");
    await until(page, () => expect(screen.queryByRole("dialog")).toBeNull());
    await page.go(EVENT);
    await payButton();
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("of a trial shows the current days and renewal", async () => {
    const now = { ...price, discount: 1199, service_fee: 0, total: 0, renewal_price: 1499, trial_days: 3 };
    const page = await showPage("/buy?type=trial&subscription_id=60", {
      ...buyer(),
      "api.listSubscriptions": () => [aSubscription({ trial_period: 7, base_price: 1199, service_fee: 100 })],
      "api.startTrial": changed(now),
    });
    fireEvent.click(await screen.findByRole("button", { name: "Start free trial" }));
    await page.pass();
    const dialog = await screen.findByRole("dialog", { name: "The terms have changed" });
    expect([...dialog.querySelectorAll("s")].map(({ textContent }) => textContent)).toEqual([
      "7 days free",
      "Then $12.99 every 30 days.",
    ]);
    expect(dialog.textContent).toContain("3 days free");
    expect(dialog.textContent).toContain("Then $14.99 every 30 days.");
    page.world.script["api.startTrial"] = () => anOrder({ type: "subscription" });
    fireEvent.click(within(dialog).getByRole("button", { name: "Start free trial" }));
    await page.pass();
    expect(page.world.calls("api.startTrial")).toMatchObject([
      { expected_total: 0, expected_renewal_price: 1299, expected_trial_days: 7 },
      { expected_total: 0, expected_renewal_price: 1499, expected_trial_days: 3 },
    ]);
  });

  it("isn't promised at a discount for each renewal: a code applies once", async () => {
    const page = await showPage("/buy?type=subscription&subscription_id=60", {
      ...buyer(),
      "api.listSubscriptions": () => [aSubscription({ base_price: 1000, service_fee: 100 })],
      "api.applyCoupon": () => coupon,
    });
    fireEvent.click(await screen.findByRole("button", { name: "Add a promo code" }));
    fireEvent.change(promoField(), { target: { value: "SPRING" } });
    applyCode();
    await page.pass();
    expect(screen.getByText("Then $11.00 every 30 days.")).toBeTruthy();
    fireEvent.click(await payButton());
    await until(page, () => expect(page.world.calls("api.buy")).toHaveLength(1));
    expect(page.world.calls("api.buy")).toMatchObject([{ expected_total: 900, expected_renewal_price: 1100 }]);
  });

  it.each([
    ["SPRING", "SPRING"],
    // Case doesn't matter to the worker, and digits have a stand-in (LOG-2).
    ["spring", "SPRING"],
    ["SAVE20261128", "SAVE20261128"],
  ])("removes %s, which the worker no longer accepts, and lets the viewer pay", async (typed, code) => {
    const page = await showPage(EVENT, { ...buyer(), "api.applyCoupon": () => ({ ...coupon, code }) });
    fireEvent.click(await screen.findByRole("button", { name: "Add a promo code" }));
    fireEvent.change(promoField(), { target: { value: typed } });
    applyCode();
    await page.pass();
    page.world.script["api.buy"] = refusing(400, "Wrong promo code.", "wrong_promo_code");
    fireEvent.click(await payButton());
    await page.pass();
    expect((await payButton()).textContent).toBe("Pay $10.99");
    page.world.script["api.buy"] = () => anOrder();
    await payUntilProcessing(page);
  });
});

describe("cards (PAY-11)", () => {
  it("that were declined aren't preselected", async () => {
    const declined = { ...card, id: "pm_declined", declined: true };
    await showPage(EVENT, { ...buyer(), "api.listCards": () => [declined, card] });
    const pay = await payButton();
    const radios = screen.getAllByRole<HTMLInputElement>("radio");
    expect(radios.map(({ checked }) => checked)).toEqual([false, true, false]);
    expect(screen.getByText(/Last payment declined/)).toBeTruthy();
    expect(pay.disabled).toBe(false);
  });

  it("are reread after one was declined, wherever the viewer is", async () => {
    const page = await showPage(EVENT, buyer());
    await payUntilProcessing(page);
    await page.go("/about");
    page.world.script["api.listCards"] = () => [];
    page.world.script["api.getOrder"] = () => anOrder({ status: "failed", version: 2, failure: "It was declined." });
    await page.pass(2_000);
    expect(page.world.state().checkout.cards).toEqual([]);
  });
});

describe("a dialog about a purchase", () => {
  it("doesn't return on the next page after the viewer saw the failure (PAY-2)", async () => {
    const page = await showPage(EVENT, buyer());
    await payUntilProcessing(page);
    page.world.script["api.getOrder"] = () => anOrder({ status: "failed", version: 2, failure: "It was declined." });
    await page.pass(2_000);
    await screen.findByRole("dialog", { name: "Payment failed" });
    await page.go("/about");
    await until(page, () => expect(screen.queryByRole("dialog")).toBeNull());
    expect(page.world.state().purchase).toMatchObject({ at: "failed", popup: false });
  });

  it("on another page doesn't follow the viewer to a third page (PAY-2)", async () => {
    const page = await showPage(EVENT, buyer());
    await payUntilProcessing(page);
    await page.go("/about");
    page.world.script["api.getOrder"] = () => anOrder({ status: "failed", version: 2, failure: "It was declined." });
    await page.pass(2_000);
    await screen.findByRole("dialog", { name: "Payment failed" });
    await page.go("/contacts");
    await until(page, () => expect(screen.queryByRole("dialog")).toBeNull());
  });

  it.each([
    ["its own page", EVENT],
    ["another", "/about"],
  ])("says that nothing was paid, on %s, after a reload before the card was entered (PAY-12)", async (_, path) => {
    const world = await openWorld({ ...buyer(), "payments.createCard": silence });
    const page = await showWorld(world, EVENT);
    await payButton();
    typeCard("4242424242424242");
    fireEvent.click(await payButton());
    await until(page, () => expect(world.calls("payments.createCard")).toHaveLength(1));
    cleanup();
    await world.reload();
    const again = await showWorld(world, path);
    const dialog = await screen.findByRole("dialog", { name: "You haven’t been charged." });
    expect(dialog.textContent).toContain("The purchase was interrupted before you entered a card.");
    fireEvent.click(within(dialog).getByRole("button", { name: "Try again" }));
    await again.pass();
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(await payButton()).toBeTruthy();
    expect(world.calls("api.buy")).toEqual([]);
  });
});

describe("content blocked in the viewer's region (GEO-1)", () => {
  const closed = { country: "Canada", country_code: "CA", is_geo_blocked: true };
  const SENTENCE = "Content not available in the region.";

  it.each<[string, string, Script]>([
    ["an event's buy address", EVENT, { "api.getEvent": () => anEvent({ is_geo_blocked: true }) }],
    ["an event's page", "/watch/100", { "api.getEvent": () => anEvent({ is_geo_blocked: true }) }],
    ["the embedded player", "/watch_embed/100", { "api.getEvent": () => anEvent({ is_geo_blocked: true }) }],
    ["a pass's buy address", "/buy?type=package&package_id=40", { "api.getGeo": () => closed }],
    ["a pass", "/select-package/40", { "api.getGeo": () => closed }],
    ["the packages", "/packages", { "api.getGeo": () => closed }],
  ])("%s says so, and has neither a price nor a buy button", async (_, path, parts) => {
    const world: Script = {
      ...buyer(),
      "api.getPackage": () => aPackage(),
      "api.listPackages": () => [aPackage()],
      ...parts,
    };
    for (const who of [
      world,
      { ...world, ...viewer(), "account.status": () => ({ channel_key: true, api_key: true, user_id: null }) },
    ]) {
      await showPage(path, who);
      expect((await screen.findAllByText(SENTENCE)).length).toBeGreaterThan(0);
      expect(document.body.textContent).not.toMatch(/\$\d/);
      for (const button of screen.queryAllByRole("button", { name: /Pay|Buy|LOGIN/ })) expect(button).toBeNull();
      expect(screen.queryByRole("link", { name: /Buy for|LOGIN TO WATCH/ })).toBeNull();
      cleanup();
    }
  });

  it("names the country, and checks again on request", async () => {
    const page = await showPage(EVENT, {
      ...buyer(),
      "api.getEvent": () => anEvent({ is_geo_blocked: true }),
      "api.getGeo": () => ({ ...closed, is_geo_blocked: false }),
    });
    expect(await screen.findByText(/You appear to be in Canada/)).toBeTruthy();
    page.world.script["api.getEvent"] = () => anEvent();
    fireEvent.click(screen.getByRole("button", { name: "Check again" }));
    await page.pass();
    expect(await payButton()).toBeTruthy();
  });
});
