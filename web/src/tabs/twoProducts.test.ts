import { describe, expect, it } from "vitest";
import { createRandom } from "../eventlog/testing/virtual-time";
import type { Purchase, PurchaseChoice } from "../machines/purchase";
import { ANOTHER_IN_PROGRESS } from "../machines/purchaseChoice";
import { paymentActions, selectPayment, selectStartedHere } from "../slices/payment";
import { purchaseActions } from "../slices/purchase";
import { type Tab, Tabs } from "./testing/tabs";

// Several tabs of one browser buy at nearly the same time (PAY-9, PAY-18). Each press ends in exactly one of: paid,
// refused with a reason, or "Nothing was paid".

const card = { payment_method_id: "pm" } as const;
const event = { kind: "event", id: 100, single_event_package_id: 500, ...card } as const;
const others: Readonly<Record<string, PurchaseChoice>> = {
  event: { kind: "event", id: 101, single_event_package_id: 501, ...card },
  package: { kind: "package", id: 40, ...card },
  subscription: { kind: "subscription", id: 60, ...card },
  trial: { kind: "trial", id: 60, ...card },
};
const third: PurchaseChoice = { kind: "package", id: 41, ...card };

type Outcome = "paid" | "declined" | "bank asks";

async function openTabs(count: number, outcome: Outcome, seed = 1): Promise<Tabs> {
  const tabs = new Tabs({ random: createRandom(seed), loss: 0, slow: 0 });
  tabs.user = 7;
  tabs.channel.isAsking = outcome === "bank asks";
  for (const name of ["a", "b", "c"].slice(0, count)) await tabs.come(name);
  await tabs.settle(2);
  return tabs;
}

async function deliverAll(tabs: Tabs): Promise<void> {
  for (const tab of tabs.open) await tabs.deliver(tab);
}

/** Ends every open purchase. */
async function finish(tabs: Tabs, outcome: Outcome): Promise<void> {
  await tabs.settle(1);
  tabs.channel.decide(outcome === "declined" ? "failed" : "paid");
  await tabs.settle(2);
}

const displayedBy = ({ world }: Tab): Purchase => selectPayment(world.state());

function endOf(tab: Tab): string {
  const state = displayedBy(tab);
  if (state.at === "rejected")
    return state.code === ANOTHER_IN_PROGRESS.code ? "nothing was paid" : `refused: ${state.message}`;
  return state.at === "succeeded" ? "paid" : state.at === "failed" ? `refused: ${state.message}` : state.at;
}

const requestOf = (tab: Tab): { readonly id: number } | undefined => {
  const state = displayedBy(tab);
  return "request" in state ? state.request : undefined;
};

function expectSound(tabs: Tabs): void {
  expect(tabs.channel.faults).toEqual([]);
  for (const { world } of tabs.open) {
    expect(world.state().checkout.paying).toBeNull();
    world.expectExpected();
    world.expectReplays();
  }
}

describe.each<Outcome>(["paid", "declined", "bank asks"])("two products in tabs of one browser (%s)", (outcome) => {
  it.each(Object.keys(others).flatMap((kind) => [2, 3].map((count) => [kind, count] as const)))(
    "an event and another %s in %i tabs: each press has one end (PAY-18)",
    async (kind, count) => {
      const choices = [event, others[kind] as PurchaseChoice, third].slice(0, count);
      for (const [turn, ms] of (count === 2 ? [0, 300, 3_000] : [1_000, 0]).entries()) {
        const first = turn % 2 === 0 ? "follower" : "leader";
        const tabs = await openTabs(count, outcome);
        const order = first === "leader" ? [...tabs.open] : [...tabs.open].reverse();
        for (const [index, tab] of order.entries()) {
          tab.world.ui(purchaseActions.submitPressed({ choice: choices[index] as PurchaseChoice }));
          if (ms === 0) continue;
          await deliverAll(tabs);
          await tabs.pass(ms);
          await deliverAll(tabs);
        }
        await finish(tabs, outcome);
        const ends = order.map(endOf);
        const won = outcome === "declined" ? /^refused: / : /^paid$/;
        const about = `${kind} after ${ms} ms, ${first} first: ${ends.join(" | ")}`;
        expect(
          ends.filter((end) => won.test(end)),
          about,
        ).toHaveLength(1);
        expect(
          ends.filter((end) => end === "nothing was paid"),
          about,
        ).toHaveLength(count - 1);
        expect(
          order.map((tab) => requestOf(tab)?.id),
          about,
        ).toEqual(choices.map(({ id }) => id));
        expect(tabs.channel.orders, about).toHaveLength(1);
        // Each of the others can pay once the first is settled, and no tab shows another's result.
        for (const [index, tab] of order.entries()) {
          if (ends[index] !== "nothing was paid") continue;
          tab.world.ui(purchaseActions.submitPressed({ choice: choices[index] as PurchaseChoice }));
          await finish(tabs, "paid");
          expect(endOf(tab), about).toBe("paid");
          expect(selectStartedHere(tab.world.state()), about).toBe(true);
        }
        expect(
          order.map((tab) => requestOf(tab)?.id),
          about,
        ).toEqual(choices.map(({ id }) => id));
        expect(tabs.channel.orders, about).toHaveLength(count);
        expectSound(tabs);
      }
    },
    60_000,
  );
});

describe("one product in two tabs", () => {
  it.each([0, 40, 1_000, 3_000])("is bought once after %i ms, and both show it (PAY-9)", async (ms) => {
    for (const first of ["follower", "leader"]) {
      const tabs = await openTabs(2, "paid");
      const order = first === "leader" ? [...tabs.open] : [...tabs.open].reverse();
      for (const tab of order) {
        tab.world.ui(purchaseActions.submitPressed({ choice: event }));
        if (ms === 0) continue;
        await deliverAll(tabs);
        await tabs.pass(ms);
        await deliverAll(tabs);
      }
      await finish(tabs, "paid");
      expect(order.map(endOf)).toEqual(["paid", "paid"]);
      expect(tabs.channel.orders).toHaveLength(1);
      // Its video starts in one of them.
      expect(order.filter(({ world }) => selectStartedHere(world.state()))).toHaveLength(1);
      expectSound(tabs);
    }
  });

  it("keeps its result in both when a third tab buys something else", async () => {
    const tabs = await openTabs(3, "paid");
    const [a, b, c] = tabs.open as [Tab, Tab, Tab];
    for (const tab of [a, b]) tab.world.ui(purchaseActions.submitPressed({ choice: event }));
    await finish(tabs, "paid");
    c.world.ui(paymentActions.closed());
    await tabs.settle(1);
    c.world.ui(purchaseActions.submitPressed({ choice: third }));
    await finish(tabs, "declined");
    expect([a, b].map(endOf)).toEqual(["paid", "paid"]);
    expect(endOf(c)).toMatch(/^refused: /);
    c.world.ui(paymentActions.popupClosed());
    await tabs.settle(1);
    expect(displayedBy(c)).toMatchObject({ at: "failed", popup: false });
    expect([a, b].map(endOf)).toEqual(["paid", "paid"]);
  });
});

it("a press without a card is refused in its own tab alone (PAY-18)", async () => {
  const tabs = await openTabs(2, "paid");
  const [a, b] = tabs.open as [Tab, Tab];
  a.world.ui(purchaseActions.submitPressed({ choice: event }));
  await finish(tabs, "paid");
  b.world.ui(purchaseActions.submitPressed({ choice: { kind: "package", id: null } }));
  await tabs.settle(1);
  expect([endOf(a), endOf(b)]).toEqual(["paid", "refused: id not selected"]);
});

it("a purchase whose tab was reloaded is still its own", async () => {
  const tabs = await openTabs(2, "paid");
  const [, b] = tabs.open as [Tab, Tab];
  b.world.ui(purchaseActions.submitPressed({ choice: event }));
  await deliverAll(tabs);
  await tabs.pass(100);
  await tabs.go(b);
  await tabs.come("b");
  await finish(tabs, "paid");
  const again = tabs.open.find(({ name }) => name === "b") as Tab;
  expect(endOf(again)).toBe("paid");
  expect(selectStartedHere(again.world.state())).toBe(true);
  expect(selectStartedHere((tabs.open[0] as Tab).world.state())).toBe(false);
});
