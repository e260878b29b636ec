import { describe, expect, it } from "vitest";
import { purchaseActions } from "../slices/purchase";
import { factsHeard, tabActions } from "../slices/tabs";
import { anEvent, paid } from "./testing/resources";
import { purchaseLeads } from "./testing/stations";
import { openViewerWorld, refusing, type TestWorld } from "./testing/world";

// What another page began may have been sent: being turned away at the door now says nothing of it.

const busy = refusing(429, "Too many requests. Please try again in a moment.");
const keys = (world: TestWorld): string[] => world.calls("api.buy").map(({ idempotency_key }) => idempotency_key);

/** The purchase goes on under the key that it has, once the worker takes calls again. */
async function expectGoesOn(world: TestWorld, key: string): Promise<void> {
  expect(world.state().purchase).toMatchObject({ at: "interrupted", key, orderId: null });
  world.script["api.buy"] = () => paid();
  world.ui(purchaseActions.retryPressed());
  await world.pass();
  expect(world.state().purchase.at).toBe("succeeded");
  expect(new Set(keys(world))).toEqual(new Set([key]));
  world.expectReplays();
}

describe("a purchase that is turned away", () => {
  it("after it was taken over from a tab that is gone has not ended (PAY-4)", async () => {
    const world = await openViewerWorld({ "api.getEvent": () => anEvent(), "api.buy": busy });
    world.input("storage", tabActions.identified({ id: "b", holder: true, others: ["a"] }));
    const request = { kind: "event", id: 100, single_event_package_id: 500, payment_method_id: "pm" } as const;
    world.input("storage", factsHeard({ facts: [purchaseActions.submitted({ key: "k1", owner: "a", request })] }));
    await world.pass();
    expect(keys(world)).toEqual([]);
    world.input("storage", tabActions.othersChanged({ others: [] }));
    await world.pass();
    expect(keys(world)).toEqual(["k1"]);
    await expectGoesOn(world, "k1");
  });

  it("after the page was loaded anew has not ended (PAY-4)", async () => {
    const world = await purchaseLeads.submitting();
    const [key = ""] = keys(world);
    world.script["api.buy"] = busy;
    await world.reload();
    expect(keys(world)).toEqual([key, key]);
    await expectGoesOn(world, key);
  });
});
