// @vitest-environment jsdom
import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { anEvent, anOrder, aPackage, aSubscription, paid } from "../sagas/testing/resources";
import { refusing, type Script } from "../sagas/testing/world";
import { applyCode, buyer, cardNumber, coupon, EVENT, payButton, promoField, typeCard } from "./testing/buyPage";
import { list, until } from "./testing/calls";
import { showPage, type TestPage } from "./testing/page";

afterEach(cleanup);

describe("a promo code (PAY-6)", () => {
  async function openField(parts: Script = {}): Promise<TestPage> {
    const page = await showPage(EVENT, { ...buyer(), ...parts });
    fireEvent.click(await screen.findByRole("button", { name: "Add a promo code" }));
    expect(document.activeElement).toBe(promoField());
    return page;
  }

  it("delays the payment while it is checked", async () => {
    let answer: (given: typeof coupon) => void = () => undefined;
    const page = await openField({ "api.applyCoupon": () => new Promise((resolve) => (answer = resolve)) });
    fireEvent.change(promoField(), { target: { value: "SPRING" } });
    applyCode();
    await page.pass();
    const waiting = screen.getByRole<HTMLButtonElement>("button", { name: "Checking the promo code" });
    expect(waiting.disabled).toBe(true);
    answer(coupon);
    await page.pass();
    expect((await payButton()).textContent).toBe("Pay $9.00");
    expect(document.activeElement).toBe(promoField());
    expect(promoField().value).toBe("SPRING");
    fireEvent.click(await payButton());
    await until(page, () => expect(page.world.calls("api.buy")).toHaveLength(1));
    expect(page.world.calls("api.buy")).toMatchObject([{ promo_code: "SPRING" }]);
  });

  it("that is typed and not applied is still used for the payment", async () => {
    const page = await openField();
    fireEvent.change(promoField(), { target: { value: "SPRING" } });
    const pay = await payButton();
    pay.focus();
    fireEvent.click(pay);
    await page.pass();
    expect(page.world.calls("api.buy")).toEqual([]);
    expect(screen.getByText("Apply the code or remove it.")).toBeTruthy();
    expect(document.activeElement).toBe(promoField());
    fireEvent.change(promoField(), { target: { value: "" } });
    expect(screen.queryByText("Apply the code or remove it.")).toBeNull();
    fireEvent.click(pay);
    await page.pass();
    expect(page.world.calls("api.buy")).toHaveLength(1);
  });

  it("has a field if none is applied", async () => {
    await openField();
    screen.getByRole("button", { name: "Apply" }).focus();
    applyCode();
    expect(screen.getByText("Enter a code first.")).toBeTruthy();
    expect(document.activeElement).toBe(promoField());
  });

  it("that is refused gets the focus, and no longer blocks the payment after that", async () => {
    const page = await openField({ "api.applyCoupon": refusing(400, "Wrong promo code.") });
    fireEvent.change(promoField(), { target: { value: "NOPE" } });
    screen.getByRole("button", { name: "Apply" }).focus();
    applyCode();
    await page.pass();
    expect(screen.getByText("Wrong promo code.")).toBeTruthy();
    expect(document.activeElement).toBe(promoField());
    fireEvent.click(await payButton());
    await until(page, () => expect(page.world.calls("api.buy")).toHaveLength(1));
  });

  it("leaves the focus where the viewer moved it during the check", async () => {
    let answer: (given: typeof coupon) => void = () => undefined;
    const page = await openField({ "api.applyCoupon": () => new Promise((resolve) => (answer = resolve)) });
    fireEvent.change(promoField(), { target: { value: "SPRING" } });
    applyCode();
    const radio = screen.getByRole("radio", { name: /^New card/ });
    radio.focus();
    answer(coupon);
    await page.pass();
    expect(await payButton()).toBeTruthy();
    expect(document.activeElement).toBe(radio);
  });

  it("that is changed while another is checked is applied to the payment", async () => {
    const page = await openField({ "api.applyCoupon": () => new Promise(() => undefined) });
    fireEvent.change(promoField(), { target: { value: "SPRIN" } });
    applyCode();
    await page.pass();
    fireEvent.change(promoField(), { target: { value: "SPRING" } });
    await page.pass();
    fireEvent.click(await payButton());
    await page.pass();
    expect(page.world.calls("api.buy")).toEqual([]);
    expect(screen.getByText("Apply the code or remove it.")).toBeTruthy();
  });
});

describe("a refused card (PAY-2)", () => {
  async function refuse(choose: () => void): Promise<TestPage> {
    const page = await showPage(EVENT, buyer());
    await payButton();
    choose();
    const pay = await payButton();
    pay.focus();
    fireEvent.click(pay);
    await until(page, () => expect(page.world.calls("api.buy")).toHaveLength(1));
    page.world.script["api.getOrder"] = () => anOrder({ status: "failed", version: 2, failure: "It was declined." });
    await page.pass(2_000);
    const other = await screen.findByRole("button", { name: "Use another card" });
    // A browser's dialog returns the focus; jsdom's doesn't.
    pay.focus();
    fireEvent.click(other);
    await page.pass();
    return page;
  }

  it("leaves the fields of another empty, and the focus in the first", async () => {
    await refuse(() => typeCard("4000000000000002"));
    expect(cardNumber().value).toBe("");
    expect(screen.getByLabelText<HTMLInputElement>("Security code").value).toBe("");
    expect(document.activeElement).toBe(cardNumber());
  });

  it("isn't preselected afterwards, although the viewer chose it", async () => {
    await refuse(() => fireEvent.click(screen.getByRole("radio", { name: /^VISA/ })));
    expect(screen.getByRole<HTMLInputElement>("radio", { name: /^New card/ }).checked).toBe(true);
    expect(document.activeElement).toBe(cardNumber());
    // A viewer who looks at the cards again keeps the focus.
    const saved = screen.getByRole("radio", { name: /^VISA/ });
    fireEvent.click(saved);
    const again = screen.getByRole("radio", { name: /^New card/ });
    again.focus();
    fireEvent.click(again);
    expect(document.activeElement).toBe(again);
  });
});

describe("an item that isn't for sale (PAY-7)", () => {
  const TEAM = "/buy?type=package&package_id=40&participant_id=21";
  const teamPass = (taken: number[]) =>
    aPackage({ is_team_pass: true, participants: [21, 22], disabled_participants: taken });
  const subscribed = paid({ type: "subscription", product: { id: 60, name: "Monthly" } });

  it.each<[string, string, Script, string, string, string]>([
    [
      "an event that was bought",
      EVENT,
      { "api.listOrders": () => list([paid()]) },
      "You already bought this event.",
      "Watch",
      "/watch/100",
    ],
    [
      "an event that a pass opens",
      EVENT,
      { "api.getEvent": () => anEvent({ access_type: "paid", has_access: true }) },
      "You can already watch this event.",
      "Watch",
      "/watch/100",
    ],
    [
      "a free event",
      "/buy?type=event&event_id=100",
      { "api.getEvent": () => anEvent({ access_type: "free", type: "other", has_access: true, base_price: 0 }) },
      "This event is free.",
      "Watch",
      "/watch/100",
    ],
    [
      "a package that was bought",
      "/buy?type=package&package_id=40",
      { "api.getPackage": () => aPackage({ event_categories: [1], disabled_categories: [1] }) },
      "You already bought this package.",
      "See my purchases",
      "/profile",
    ],
    [
      "a team's pass that was bought",
      TEAM,
      { "api.getPackage": () => teamPass([21]) },
      "You already bought this package.",
      "See my purchases",
      "/profile",
    ],
    [
      "a subscription that runs",
      "/buy?type=subscription&subscription_id=60",
      { "api.listSubscriptions": () => [aSubscription()], "api.listOrders": () => list([subscribed]) },
      "You already have this subscription.",
      "See my purchases",
      "/profile",
    ],
  ])("%s isn't sold again, and offers a next step", async (_, path, parts, words, link, to) => {
    await showPage(path, { ...buyer(), ...parts });
    expect(await screen.findByText(words)).toBeTruthy();
    expect(screen.queryByRole("button", { name: /^Pay / })).toBeNull();
    expect(screen.getByRole("link", { name: link }).getAttribute("href")).toBe(to);
  });

  it("sells a team's pass to a viewer who owns another team's", async () => {
    await showPage(TEAM, { ...buyer(), "api.getPackage": () => teamPass([22]) });
    expect((await payButton()).disabled).toBe(false);
  });

  it("shows the result of its own purchase, and is marked as bought when the viewer returns", async () => {
    const page = await showPage(EVENT, { ...buyer(), "api.buy": () => paid() });
    fireEvent.click(await payButton());
    await page.pass();
    expect(await screen.findByText("Paid. Enjoy the game.")).toBeTruthy();
    page.world.script["api.listOrders"] = () => list([paid()]);
    await page.go("/buy?type=event&event_id=101&single_event_package_id=501");
    await payButton();
    await page.go(EVENT);
    expect(await screen.findByText("You already bought this event.")).toBeTruthy();
  });
});
