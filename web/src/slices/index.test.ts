import type { UnknownAction } from "@reduxjs/toolkit";
import { describe, expect, it } from "vitest";
import { authActions } from "./auth";
import { browserScoped, type RootState, rootReducer, tabScoped } from "./index";
import { navigationActions } from "./navigation";
import { outboxActions } from "./outbox";
import { selectPayment } from "./payment";
import { preferencesActions, selectPreference } from "./preferences";
import { purchaseActions } from "./purchase";
import { tabActions } from "./tabs";
import { toastActions } from "./toast";

const INIT = { type: "@@init" };

describe("the root reducer", () => {
  it("gives every slice a scope, and the caches to both; data of each page load is stored in neither", () => {
    const names = Object.keys(rootReducer(undefined, INIT)).sort();
    expect(
      [...new Set([...browserScoped, ...tabScoped, "clock", "reachability", "site", "tabs", "transient"])].sort(),
    ).toEqual(names);
    const both = browserScoped.filter((name) => tabScoped.includes(name));
    expect(both.sort()).toEqual(["catalogue", "events", "freshness", "vod"]);
  });

  const refused = purchaseActions.refused({ key: null, code: "id_not_selected", message: "id not selected" });
  const leader = rootReducer(rootReducer(undefined, INIT), tabActions.identified({ id: "a", leads: true }));
  const follower = rootReducer(rootReducer(undefined, INIT), tabActions.identified({ id: "a", leads: false }));

  it("folds the leader's stream into the viewer's slices, and into nothing of this page", () => {
    const actions = [refused, toastActions.shown({ id: "1", text: "of the other page", type: "info", until: 1 })];
    const after = rootReducer(follower, tabActions.streamReceived({ generation: 1, seq: 1, actions, answers: [] }));
    expect(after.purchase).toEqual({ at: "rejected", code: "id_not_selected", message: "id not selected" });
    expect(after.toast).toBe(follower.toast);
    expect(after.tabs).toMatchObject({ generation: 1, seq: 1 });
  });

  it("forgets a visit with its viewer, also in a page that another leads (LOG-4)", () => {
    const page = { name: "search", path: "/search", params: {}, query: { q: "typed" } };
    const user = { id: 7, capabilities: [], featureCount: { clips: 0, downloads: 0 } } as never;
    const last = (state: RootState) => state.navigation.last?.query.q;
    const searches = (state: RootState) => selectPreference("recent_searches")(state);
    const viaStream = (action: UnknownAction) =>
      tabActions.streamReceived({ generation: 1, seq: 1, actions: [action], answers: [] });
    for (const [first, through] of [
      [leader, (action: UnknownAction) => action],
      [follower, viaStream],
    ] as const) {
      const play = (state: RootState, action: UnknownAction) => rootReducer(state, through(action));
      const stored = preferencesActions.kept({ name: "recent_searches", value: "typed", expires_at: 9 });
      const opened = navigationActions.pageOpened({ page, remembered: true, trk: null });
      const visiting = rootReducer([authActions.succeeded({ way: "login", user }), stored].reduce(play, first), opened);
      expect([last(visiting), searches(visiting)]).toEqual(["typed", "typed"]);
      const leaving = play(visiting, authActions.logoutPressed());
      expect(last(leaving)).toBe("typed");
      const loggedOut = play(leaving, authActions.loggedOut());
      expect([last(loggedOut), searches(loggedOut)]).toEqual([undefined, null]);
      // A visitor's log-in isn't the end of a viewer.
      expect(last(play(rootReducer(loggedOut, opened), authActions.succeeded({ way: "login", user })))).toBe("typed");
    }
  });

  it("posts a follower's intents until the stream answers them", () => {
    const opened = purchaseActions.opened();
    const waiting = rootReducer(follower, opened);
    expect(waiting.purchase).toBe(follower.purchase);
    expect(waiting.tabs.pending).toEqual([{ id: "a/1", action: { type: opened.type } }]);
    const answered = tabActions.streamReceived({ generation: 1, seq: 1, actions: [refused], answers: ["a/1"] });
    const after = rootReducer(waiting, answered);
    expect(after.tabs.pending).toEqual([]);
    expect(after.answers.answered).toEqual(["a/1"]);
    expect(after.purchase.at).toBe("rejected");
  });

  it("refuses a purchase in its own page alone, and shows no other page's refusal (PAY-18)", () => {
    const pressed = rootReducer(follower, refused);
    expect(pressed.tabs.pending).toEqual([]);
    expect(selectPayment(pressed)).toMatchObject({ at: "rejected", code: "id_not_selected" });
    const stream = tabActions.streamReceived({ generation: 1, seq: 1, actions: [refused], answers: [] });
    expect(selectPayment(rootReducer(follower, stream))).toEqual({ at: "preparing" });
  });

  it("shows a follower's heart at once, and still after a snapshot without it", () => {
    const payload = { favoritable_id: 21, favoritable_type: "participant" } as const;
    const heart = outboxActions.itemQueued({ id: "x", kind: "favourite.add", payload, at: 1 });
    const displayed = rootReducer(follower, heart);
    expect(Object.keys(displayed.outbox.items)).toEqual(["x"]);
    const slices = { outbox: follower.outbox, answers: { answered: [] } };
    const after = rootReducer(displayed, tabActions.snapshotReceived({ generation: 2, seq: 0, slices }));
    expect(Object.keys(after.outbox.items)).toEqual(["x"]);
    const done = { ...slices, answers: { answered: ["a/1"] } };
    const removed = rootReducer(after, tabActions.snapshotReceived({ generation: 2, seq: 4, slices: done }));
    expect(removed.outbox.items).toEqual({});
    expect(removed.tabs.pending).toEqual([]);
  });

  it("drops a follower's heart that the leader sent before it received it", () => {
    const item = {
      id: "x",
      kind: "favourite.add",
      payload: { favoritable_id: 21, favoritable_type: "participant" },
    } as const;
    const displayed = rootReducer(follower, outboxActions.itemQueued({ ...item, at: 1 }));
    const actions = [outboxActions.itemAnswered({ ...item, outcome: { outcome: "done", answer: null } })];
    const after = rootReducer(displayed, tabActions.streamReceived({ generation: 1, seq: 1, actions, answers: [] }));
    expect(after.tabs.pending).toHaveLength(1);
    expect(after.outbox.items).toEqual({});
  });

  it("folds a known end only once: the heart may have been removed since", () => {
    const of = { favoritable_id: 21, favoritable_type: "participant" } as const;
    const heart = { id: 9, ...of } as never;
    const add = { id: "x", kind: "favourite.add", payload: of, outcome: { outcome: "done", answer: heart } } as const;
    const removal = { id: "y", kind: "favourite.remove", payload: { ...of, id: 9 } } as const;
    const leader = rootReducer(rootReducer(undefined, INIT), tabActions.identified({ id: "a", leads: true }));
    const ends = [
      outboxActions.itemAnswered(add),
      outboxActions.itemAnswered({ ...removal, outcome: { outcome: "done", answer: null } }),
      outboxActions.itemAnswered(add),
    ];
    expect(ends.reduce(rootReducer, leader).favourites.known).toEqual([]);
  });

  it("remembers the intents of a page that became the leader: a message may still reach the next leader", () => {
    const waiting = rootReducer(rootReducer(follower, refused), tabActions.led({ generation: 2, seq: 0 }));
    const claimed = rootReducer(waiting, tabActions.pendingTaken({ ids: ["a/1"] }));
    expect(claimed.tabs.pending).toEqual([]);
    expect(claimed.answers.answered).toEqual(["a/1"]);
  });

  it("remembers the last 256 folded intents", () => {
    let state = rootReducer(rootReducer(undefined, INIT), tabActions.identified({ id: "a", leads: true }));
    for (let n = 1; n <= 300; n += 1)
      state = rootReducer(state, tabActions.intentReceived({ id: `b/${n}`, action: refused }));
    expect(state.answers.answered).toHaveLength(256);
    expect(state.answers.answered.at(-1)).toBe("b/300");
  });
});
