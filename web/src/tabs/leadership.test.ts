import { describe, expect, it } from "vitest";
import { favouritesActions } from "../slices/favourites";
import { type Tab, Tabs } from "./testing/tabs";

/** Two pages of one browser, of which the first one leads. */
async function twoPages(): Promise<{ tabs: Tabs; leader: Tab; other: Tab }> {
  const tabs = new Tabs({ random: () => 0.9, loss: 0, slow: 0 });
  tabs.user = 7;
  await tabs.come("a");
  await tabs.come("b");
  await tabs.settle(2);
  const [leader, other] = tabs.open as [Tab, Tab];
  expect([leader.leads, other.leads]).toEqual([true, false]);
  return { tabs, leader, other };
}

/** Time passes, and every message arrives at once. */
async function passes(tabs: Tabs, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 50) {
    await tabs.pass(50);
    for (const tab of tabs.open) await tabs.deliver(tab);
  }
}

describe("the lead", () => {
  it("is taken from a leader that has said nothing for a second, and no sooner", async () => {
    const { tabs, leader, other } = await twoPages();
    tabs.freeze(leader);
    other.world.ui(favouritesActions.toggled({ favoritable_id: 21, favoritable_type: "participant" }));
    await passes(tabs, 900);
    expect(other.leads).toBe(false);
    await passes(tabs, 400);
    expect(other.leads).toBe(true);
  });

  it("stays with a leader that answers, however much is pressed beside it", async () => {
    const { tabs, leader, other } = await twoPages();
    for (let press = 0; press < 5; press += 1) {
      other.world.ui(favouritesActions.toggled({ favoritable_id: 21, favoritable_type: "participant" }));
      await passes(tabs, 1_000);
    }
    expect([leader.leads, other.leads]).toEqual([true, false]);
  });

  it("goes to a page that the viewer sees, once the leader was hidden for five seconds", async () => {
    const { tabs, leader, other } = await twoPages();
    leader.isVisible = false;
    await passes(tabs, 4_500);
    expect([leader.leads, other.leads]).toEqual([true, false]);
    await passes(tabs, 7_500);
    expect([leader.leads, other.leads]).toEqual([false, true]);
  });
});
