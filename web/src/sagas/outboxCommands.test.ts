import { describe, expect, it } from "vitest";
import { authActions } from "../slices/auth";
import { favouritesActions, selectFavourites, selectIsFavourite } from "../slices/favourites";
import { loginActions } from "../slices/login";
import { outboxActions, selectWaitingCount } from "../slices/outbox";
import { type Query, queryActions } from "../slices/queries";
import { aProfile } from "./testing/resources";
import { type RemoteAction, receive, resign } from "./testing/tabs";
import { away, openViewerWorld, silence, type TestWorld } from "./testing/world";

// The viewer's changes and their outcomes, when other tabs report them or another viewer arrives meanwhile.

const HOUR = 3_600_000;
const team = { favoritable_id: 21, favoritable_type: "participant" } as const;
const login = loginActions.submitted({ way: "login", handle: "h" });

describe("the next viewer of a browser", () => {
  it("doesn't see the previous viewer's waiting items, and may request the same", async () => {
    const world = await openViewerWorld({ "api.login": () => ({ ...aProfile(), id: 8 }), "outbox.drain": away });
    world.ui(favouritesActions.toggled(team));
    await world.pass();
    expect(selectWaitingCount(world.state())).toBe(1);
    world.ui(authActions.logoutPressed());
    await world.pass();
    expect([selectFavourites(world.state()), selectWaitingCount(world.state())]).toEqual([[], 0]);
    world.ui(login);
    await world.pass();
    expect([selectFavourites(world.state()), selectWaitingCount(world.state())]).toEqual([[], 0]);
    world.ui(favouritesActions.toggled(team));
    await world.pass();
    expect(world.calls("outbox.put").at(-1)?.item).toMatchObject({ kind: "favourite.add", user_id: 8 });
    world.expectReplays();
  });
});

describe("an outcome of an item", () => {
  const clip = { event_id: 100, name: "Goal", start_time: 1, duration: 2, tags: [], event_media_id: 3 };
  const done = { outcome: "done", answer: { id: 1, ...team } } as const;
  const dead = { outcome: "dead", code: "gone", message: "It no longer exists." } as const;

  it.each([
    ["here", (world: TestWorld, fact: RemoteAction): void => world.input("storage", fact)],
    ["in another tab", (world: TestWorld, fact: RemoteAction): void => receive(world, fact)],
  ])("doesn't affect the next viewer: reported %s", async (_, tell) => {
    const world = await openViewerWorld({ "api.login": () => ({ ...aProfile(), id: 8 }), "outbox.drain": silence });
    world.ui(favouritesActions.toggled(team));
    await world.pass();
    const [asked] = world.calls("outbox.put");
    if (asked?.item.kind !== "favourite.add") throw new Error("no heart was put");
    const { at: _at, ...item } = asked.item;
    world.ui(authActions.logoutPressed());
    await world.pass();
    world.ui(login);
    await world.pass();
    const clips = world.state().user.featureCount.clips;
    tell(world, outboxActions.itemAnswered({ ...item, outcome: done }));
    tell(world, outboxActions.itemAnswered({ id: "c", kind: "clip.create", payload: clip, user_id: 7, outcome: done }));
    tell(
      world,
      outboxActions.itemAnswered({ id: "d", kind: "favourite.add", payload: team, user_id: 7, outcome: dead }),
    );
    await world.pass();
    const { auth, outbox, toast } = world.state();
    expect(auth).toMatchObject({ userId: 8 });
    expect(selectFavourites(world.state())).toEqual([]);
    expect(world.state().user.featureCount.clips).toBe(clips);
    expect([Object.keys(outbox.items), toast]).toEqual([[], []]);
    world.expectReplays();
  });

  it("may arrive before its start: the item doesn't wait", async () => {
    const world = await openViewerWorld();
    resign(world);
    const item = { id: "x", kind: "favourite.add", payload: team, user_id: 7 } as const;
    receive(world, outboxActions.itemAnswered({ ...item, outcome: done }));
    receive(world, outboxActions.itemQueued({ ...item, at: 1 }));
    await world.pass(HOUR);
    expect(selectWaitingCount(world.state())).toBe(0);
    expect(selectIsFavourite(team)(world.state())).toBe(true);
    world.expectReplays();
  });
});

describe("a repeated change of a favourite", () => {
  const other = { favoritable_id: 22, favoritable_type: "participant" } as const;
  const of = (favoured: typeof team | typeof other, kind: "favourite.add" | "favourite.remove", at: number) => {
    const done = { outcome: "done", answer: kind === "favourite.add" ? { id: 1, ...favoured } : null } as const;
    const payload = { id: null, ...favoured };
    return outboxActions.itemAnswered({ id: `${kind}${at}`, kind, payload, user_id: 7, at, outcome: done });
  };

  it("has no effect either when it is repeated here, to a page that had put it again", async () => {
    const world = await openViewerWorld();
    const at = world.now();
    const again = of(team, "favourite.add", at);
    world.input("storage", of(team, "favourite.remove", at + 1));
    world.input("storage", { ...again, payload: { ...again.payload, again: true } } as typeof again);
    expect(selectFavourites(world.state())).toEqual([]);
    expect(world.state().outbox).toMatchObject({ ended: expect.arrayContaining([again.payload.id]), endedAt: at + 1 });
    world.expectReplays();
  });
});

describe("a list that is loading", () => {
  it("in another tab since before an item was done reverts nothing", async () => {
    const world = await openViewerWorld();
    const [asked_at, at] = [world.now(), world.now() + 1_000];
    const done = { outcome: "done", answer: { id: 1, ...team } } as const;
    const heart = { id: "x", kind: "favourite.add", payload: team, user_id: 7, outcome: done } as const;
    world.input("storage", outboxActions.itemAnswered({ ...heart, at: at - 1 }));
    const list = { method: "api.listFavourites", args: {}, answer: [] } as const;
    receive(world, queryActions.loaded({ ...list, answer: [], asked_at, at }));
    expect(selectIsFavourite(team)(world.state())).toBe(true);
    receive(world, queryActions.loaded({ ...list, answer: [], asked_at: at, at: at + 1 }));
    expect(selectIsFavourite(team)(world.state())).toBe(false);
    world.expectReplays();
  });

  it.each(["here", "in another tab"])("is reread when one of its items is stored meanwhile, %s", async (where) => {
    const answers: ((known: never[]) => void)[] = [];
    const world = await openViewerWorld({
      "api.listFavourites": () => new Promise((resolve) => answers.push(resolve)),
    });
    world.ui(queryActions.wanted({ method: "api.listFavourites", args: {} }));
    await world.pass();
    world.ui(favouritesActions.toggled(team));
    await world.pass();
    const [put] = world.calls("outbox.put");
    if (put?.item.kind !== "favourite.add") throw new Error("no heart was put");
    const { id, kind, payload } = put.item;
    const done = { outcome: "done", answer: { id: 1, ...team } } as const;
    const answered = outboxActions.itemAnswered({ id, kind, payload, outcome: done });
    if (where === "here") world.input("storage", answered);
    else receive(world, answered);
    await world.pass();
    answers[0]?.([]);
    await world.pass();
    expect(selectIsFavourite(team)(world.state())).toBe(true);
    expect(answers).toHaveLength(2);
    world.expectReplays();
  });
});

describe("the events of the viewer's favourites", () => {
  it.each(["here", "in another tab"])("are reread once a favourite is stored, %s (LIST-4)", async (where) => {
    const nothing = { data: [], meta: { total: 0, limit: 1, offset: 0 } };
    const world = await openViewerWorld({ "api.listFavouriteEvents": () => nothing });
    const query: Query = { method: "api.listFavouriteEvents", args: { filter: {} } };
    world.ui(queryActions.wanted(query));
    world.ui(favouritesActions.toggled(team));
    await world.pass();
    expect(world.calls("api.listFavouriteEvents")).toHaveLength(1);
    const [put] = world.calls("outbox.put");
    if (put?.item.kind !== "favourite.add") throw new Error("no heart was put");
    const { id, kind, payload } = put.item;
    const answered = outboxActions.itemAnswered({
      id,
      kind,
      payload,
      outcome: { outcome: "done", answer: { id: 1, ...team } },
    });
    if (where === "here") world.input("storage", answered);
    else receive(world, answered);
    await world.pass();
    expect(world.calls("api.listFavouriteEvents")).toHaveLength(2);
    world.expectReplays();
  });
});
