import { describe, expect, it } from "vitest";
import { authActions } from "../slices/auth";
import { connectionInputs } from "../slices/connection";
import { favouritesActions } from "../slices/favourites";
import { loginActions } from "../slices/login";
import { purchaseActions } from "../slices/purchase";
import { type Tab, Tabs } from "./testing/tabs";

// One person buys in a tab while another tab logs out, and the next person arrives (PAY-4).

const choice = { kind: "event", id: 100, single_event_package_id: 500, payment_method_id: "pm" } as const;

/** Two tabs of user 7: `a` presses, with or without a network, and `b` logs out before it learns of that. */
async function logOutWhileBuying({ isAway }: { isAway: boolean }): Promise<{ tabs: Tabs; a: Tab; b: Tab }> {
  let draw = 0.9;
  const tabs = new Tabs({ random: () => draw, loss: 0.5, slow: 0 });
  tabs.user = 7;
  await tabs.come("a");
  await tabs.come("b");
  const [a, b] = tabs.open as [Tab, Tab];
  await tabs.settle();
  if (isAway) draw = 0.1;
  a.world.ui(purchaseActions.submitPressed({ choice }));
  await tabs.pass(100);
  draw = 0.9;
  b.world.ui(authActions.logoutPressed());
  return { tabs, a, b };
}

async function logIn(tabs: Tabs, { world }: Tab, id: number): Promise<void> {
  world.ui(loginActions.submitted({ way: "login", handle: String(id) }));
  await tabs.settle();
}

const purchases = ({ open }: Tabs): string[] => open.map(({ world }) => world.state().purchase.at);

describe("a purchase whose buyer logged out in another tab (PAY-9)", () => {
  it.each([true, false])(
    "belongs to nobody afterwards, and never to the next person (network away: %s)",
    async (isAway) => {
      const { tabs, b } = await logOutWhileBuying({ isAway });
      await tabs.settle();
      expect(purchases(tabs)).toEqual(["preparing", "preparing"]);
      await logIn(tabs, b, 8);
      for (const { world } of tabs.open) {
        world.ui(purchaseActions.retryPressed());
        world.input("ui", connectionInputs.cameOnline());
      }
      await tabs.settle();
      expect(purchases(tabs)).toEqual(["preparing", "preparing"]);
      expect(tabs.channel.orders.map(({ buyer }) => buyer)).toEqual(isAway ? [] : [7]);
      for (const { world } of tabs.open) world.expectReplays();
    },
  );

  it("doesn't return with its page", async () => {
    const { tabs, a, b } = await logOutWhileBuying({ isAway: true });
    await tabs.go(a);
    await tabs.settle();
    await logIn(tabs, b, 8);
    await tabs.come("a");
    await tabs.settle();
    expect(purchases(tabs)).toEqual(["preparing", "preparing"]);
    expect(tabs.channel.orders).toEqual([]);
  });
});

it("a purchase that never reached a leader is made once by the page that pressed it, after its reload (PAY-9)", async () => {
  const tabs = new Tabs({ random: () => 0.9, loss: 0, slow: 0 });
  tabs.user = 7;
  await tabs.come("a");
  await tabs.come("b");
  const [leader, other] = tabs.open as [Tab, Tab];
  // Stores a state that a page can continue from.
  leader.world.ui(favouritesActions.toggled({ favoritable_id: 21, favoritable_type: "participant" }));
  await tabs.settle();
  tabs.freeze(leader);
  other.world.ui(purchaseActions.submitPressed({ choice }));
  await tabs.pass(100);
  expect(other.world.state().payment.started).not.toBeNull();
  await tabs.go(other);
  await tabs.go(leader);
  await tabs.come("b");
  await tabs.settle();
  tabs.channel.decide("paid");
  await tabs.settle();
  expect(tabs.open[0]?.world.state().checkout.paying).toBeNull();
  expect(purchases(tabs)).toEqual(["succeeded"]);
  expect(tabs.channel.orders).toHaveLength(1);
});
