import fc from "fast-check";
import { expect, it } from "vitest";
import { createRandom } from "../eventlog/testing/virtual-time";
import { authActions } from "../slices/auth";
import { favouritesActions, selectFavourites } from "../slices/favourites";
import { loginActions } from "../slices/login";
import { selectWaitingCount } from "../slices/outbox";
import { purchaseActions } from "../slices/purchase";
import { queryActions } from "../slices/queries";
import { type Tab, Tabs } from "./testing/tabs";

// Some tabs of one browser, with every message and answer delayed: they open, are killed, press, and receive messages
// late. In the end they agree with each other and with the channel.

const NAMES = ["a", "b", "c"] as const;
const PEOPLE = [7, 8] as const;
const choice = { kind: "event", id: 100, single_event_package_id: 500, payment_method_id: "pm" } as const;

type Happening = (tab: Tab, tabs: Tabs) => unknown;
const heart =
  (favoritable_id: number): Happening =>
  ({ world }) =>
    world.ui(favouritesActions.toggled({ favoritable_id, favoritable_type: "participant" }));
const login =
  (id: number): Happening =>
  ({ world }) =>
    world.ui(loginActions.submitted({ way: "login", handle: String(id) }));

const happenings: Readonly<Record<string, Happening>> = {
  heart: heart(21),
  otherHeart: heart(22),
  buy: ({ world }) => world.ui(purchaseActions.submitPressed({ choice })),
  retry: ({ world }) => world.ui(purchaseActions.retryPressed()),
  login: login(7),
  otherLogin: login(8),
  logout: ({ world }) => world.ui(authActions.logoutPressed()),
  deliverOne: (tab, tabs) => tabs.deliver(tab, 1),
  deliverAll: (tab, tabs) => tabs.deliver(tab),
  answer: (_, tabs) => tabs.answer("go"),
  lose: (_, tabs) => tabs.answer("lose"),
  paid: (_, tabs) => tabs.channel.decide("paid"),
  failed: (_, tabs) => tabs.channel.decide("failed"),
  freeze: (tab, tabs) => tabs.freeze(tab),
  thaw: (_, tabs) => thawAll(tabs),
  steal: (tab, tabs) => tabs.steal(tab),
  hideAway: (tab, tabs) => tabs.hideAway(tab),
  showAgain: (tab, tabs) => tabs.showAgain(tab),
  turnAway: (tab) => {
    tab.isVisible = !tab.isVisible;
  },
  kill: (tab, tabs) => tabs.go(tab),
  async reload(tab, tabs) {
    await tabs.go(tab);
    await come(tabs, tab.name);
  },
};

async function thawAll(tabs: Tabs): Promise<void> {
  for (const tab of [...tabs.open]) await tabs.thaw(tab);
}

const OFTEN = ["deliverOne", "deliverAll", "answer", "heart"];
/** Events that give a reason to send again. */
const ROUGH = ["kill", "reload", "lose", "freeze", "steal", "hideAway"];
const ALL = Object.keys(happenings);
const anyStep = (whats: readonly string[]) =>
  fc.record({
    what: fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom(...whats) },
      { weight: 2, arbitrary: fc.constantFrom(...OFTEN) },
      { weight: 1, arbitrary: fc.constant("come") },
    ),
    who: fc.nat({ max: 2 }),
    ms: fc.oneof(
      { weight: 4, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.constantFrom(700, 2_500, 12_000) },
    ),
  });

/** A page that shows an event and hearts. */
async function come(tabs: Tabs, name: string): Promise<void> {
  if (tabs.open.some((tab) => tab.name === name)) return;
  await tabs.come(name);
  const tab = tabs.open.find((other) => other.name === name);
  tab?.world.ui(queryActions.wanted({ method: "api.getEvent", args: { id: 100 } }));
  tab?.world.ui(queryActions.wanted({ method: "api.listFavourites", args: {} }));
  await tabs.pass(0);
}

const hearts = ({ world }: Tab): number[] =>
  selectFavourites(world.state())
    .map(({ favoritable_id }) => favoritable_id)
    .sort();

/** Asserts, once everything is answered and delivered, that the tabs agree with the channel and each other. */
function expectAgreement(tabs: Tabs): void {
  const listed = tabs.user === null ? [] : tabs.channel.listed(tabs.user).map(({ favoritable_id }) => favoritable_id);
  expect(tabs.open.filter(({ leads }) => leads)).toHaveLength(1);
  for (const tab of tabs.open) {
    const { auth, purchase, startup, outbox } = tab.world.state();
    expect(auth, `${tab.name} knows who is here`).toMatchObject(
      tabs.user === null ? { at: "anonymous" } : { at: "authenticated", userId: tabs.user },
    );
    expect(startup, tab.name).toEqual({ at: "ready", stale: false, refreshing: false });
    expect(["preparing", "rejected", "succeeded", "failed"], `${tab.name}: ${purchase.at}`).toContain(purchase.at);
    expect(hearts(tab), `${tab.name} shows the channel's state`).toEqual(listed.sort());
    expect(selectWaitingCount(tab.world.state()), `nothing waits in ${tab.name}`).toBe(0);
    expect(outbox.run, tab.name).toEqual({ at: "idle" });
    tab.world.expectExpected();
    tab.world.expectReplays();
  }
}

interface Walk {
  readonly seed: number;
  /** The shares of calls that get no answer, and of slow ones. */
  readonly loss: number;
  readonly slow: number;
  readonly steps: readonly { readonly what: string; readonly who: number; readonly ms: number }[];
}

const anyWalkOf = (whats: readonly string[], losses: readonly number[]): fc.Arbitrary<Walk> =>
  fc.record({
    seed: fc.nat(),
    loss: fc.constantFrom(...losses),
    slow: fc.constantFrom(0, 0.5),
    steps: fc.array(anyStep(whats), { maxLength: 30, size: "max" }),
  });
const isRough = (what: string): boolean => ROUGH.includes(what);
const anyWalk = fc.oneof(
  { weight: 3, arbitrary: anyWalkOf(ALL, [0, 0.2]) },
  {
    weight: 1,
    arbitrary: anyWalkOf(
      ALL.filter((what) => !isRough(what)),
      [0],
    ),
  },
);

/** Somebody is logged in at the end, whoever was before. */
async function logIn(tabs: Tabs, id: number): Promise<void> {
  const [first] = tabs.open;
  if (tabs.user === id || first === undefined) return;
  if (tabs.user !== null) first.world.ui(authActions.logoutPressed());
  await tabs.settle();
  first.world.ui(loginActions.submitted({ way: "login", handle: String(id) }));
  await tabs.settle();
}

async function walk(tabs: Tabs, steps: Walk["steps"]): Promise<void> {
  tabs.user = 7;
  await come(tabs, "a");
  await come(tabs, "b");
  for (const { what, who, ms } of steps) {
    const tab = tabs.open[who % tabs.open.length];
    if (what === "come" || tab === undefined) await come(tabs, NAMES[who] ?? "a");
    else await happenings[what]?.(tab, tabs);
    await tabs.pass(ms);
  }
  await thawAll(tabs);
  for (const tab of tabs.open) await tabs.showAgain(tab);
  await come(tabs, "a");
  await tabs.heal();
  await tabs.settle();
  for (const { world } of tabs.open) world.ui(purchaseActions.retryPressed());
  // Items never sent are placed only now.
  await tabs.settle(34);
  tabs.channel.decide("paid");
  await tabs.settle();
  expectAgreement(tabs);
  for (const id of PEOPLE) {
    await logIn(tabs, id);
    expectAgreement(tabs);
    for (const [item, user] of tabs.put)
      if (user === id) expect(tabs.channel.came.get(item), "everything stored arrived").toBeGreaterThan(0);
  }
  expect(tabs.channel.faults).toEqual([]);
}

/** Whether no answer was lost and no page was killed, so that nothing needs resending. */
const isIdle = ({ loss, steps }: Walk): boolean => loss === 0 && !steps.some(({ what }) => isRough(what));

const RUNS = Number(process.env.TAB_WALKS ?? 15);
const SEED = Number(process.env.TAB_SEED ?? 20_261_121);

it(
  "several tabs of one browser agree in the end, whatever happens between them, and everything was done once",
  async () => {
    const walks = fc.asyncProperty(anyWalk, async (way) => {
      const tabs = new Tabs({ random: createRandom(way.seed), loss: way.loss, slow: way.slow });
      await walk(tabs, way.steps);
      // A page without messages for a second took the lead and repeated the open calls.
      if (isIdle(way) && tabs.generation === 1)
        for (const [key, times] of tabs.channel.came) expect(times, `${key} arrived once`).toBe(1);
    });
    await fc.assert(walks, { numRuns: RUNS, seed: SEED });
  },
  // A failing walk is shrunk as far as possible.
  600_000 + RUNS * 3_000,
);
