// @vitest-environment jsdom
import { act, cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { anEvent } from "../sagas/testing/resources";
import { countCalls, receive, resign } from "../sagas/testing/tabs";
import { type Script, silence, viewer } from "../sagas/testing/world";
import { purchaseActions } from "../slices/purchase";
import { tabActions } from "../slices/tabs";
import { card, EVENT, payButton } from "./testing/buyPage";
import { showPage, type TestPage } from "./testing/page";

afterEach(cleanup);

const QUESTION = { name: "Confirm with your bank" };
const REQUEST = { kind: "event", id: 100, single_event_package_id: 500, payment_method_id: "pm" } as const;

const script = (): Script => ({
  ...viewer(),
  "api.getEvent": () => anEvent({ single_event_package_id: 500 }),
  "api.listCards": () => [card],
  "payments.confirm": silence,
});

/** The buy page, ready to be pressed. */
async function showBuy(): Promise<TestPage> {
  const page = await showPage(EVENT, script());
  await payButton();
  return page;
}

describe("the bank's question (PAY-4)", () => {
  it("appears on whichever page its tab shows", async () => {
    const page = await showPage("/faq", script());
    let answer: Promise<unknown> | undefined;
    act(() => {
      answer = page.account.confirmPayment(55, undefined);
    });
    await screen.findByRole("dialog", QUESTION);
    fireEvent.click(screen.getByRole("button", { name: "Yes, pay" }));
    expect(await answer).toBe(true);
    expect(screen.queryByRole("dialog", QUESTION)).toBeNull();
  });

  it("about a purchase in another tab appears here while this page is visible, and closes with the first answer", async () => {
    const page = await showBuy();
    resign(page.world);
    receive(
      page.world,
      purchaseActions.submitted({ key: "k1", user_id: 7, request: REQUEST }),
      purchaseActions.confirmationAsked({ key: "k1", order_id: 55, version: 1 }),
    );
    await page.pass();
    expect(countCalls(page.world, "payments.confirm")).toBe(1);
    page.world.input("ui", tabActions.visibilityChanged({ visible: false }));
    await page.pass();
    page.world.input("ui", tabActions.visibilityChanged({ visible: true }));
    await page.pass();
    expect(countCalls(page.world, "payments.confirm")).toBe(2);
    receive(page.world, purchaseActions.confirmed({ key: "k1" }));
    await page.pass();
    expect(page.world.state().purchase.at).toBe("processing");
    expect(countCalls(page.world, "payments.confirm")).toBe(2);
  });
});

describe("an order that may not have arrived", () => {
  it("is requested again automatically, and says when", async () => {
    const page = await showBuy();
    receive(
      page.world,
      purchaseActions.submitted({ key: "k1", user_id: 7, request: REQUEST }),
      purchaseActions.interrupted({ key: "k1", message: "x" }),
    );
    await page.pass();
    expect(screen.getByText(/^Paused. Trying again in 1\d s$/)).toBeTruthy();
  });
});
