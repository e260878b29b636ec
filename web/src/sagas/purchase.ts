import { call, put, race, type SagaGenerator, select, take, takeEvery } from "typed-redux-saga";
import { MINUTE, SECOND } from "../lib/time";
import type { Purchase } from "../machines/purchase";
import { checkChoice } from "../machines/purchaseChoice";
import { newId, sleep } from "../ports/ask";
import { authActions, selectUserId } from "../slices/auth";
import { connectionActions, connectionInputs, connectionSnapshotReceived, selectLive } from "../slices/connection";
import type { RootState } from "../slices/index";
import { selectOnline } from "../slices/network";
import { selectOrder } from "../slices/orders";
import { concerns, purchaseActions, selectPurchase } from "../slices/purchase";
import { type Query, queryActions } from "../slices/queries";
import { factsHeard, selectDrives, selectGone, selectTab, tabActions } from "../slices/tabs";
import { attempt } from "./attempt";
import { refreshProfile } from "./auth";
import { choiceFacts } from "./purchaseFacts";
import { drive } from "./purchaseSteps";
import { read } from "./queries";

type At<A extends Purchase["at"]> = Extract<Purchase, { at: A }>;

/** What may change who drives the purchase. */
const TABS = [
  tabActions.identified.type,
  tabActions.holderChanged.type,
  tabActions.othersChanged.type,
  factsHeard.type,
] as const;

/** Refusals whose reason is that something is not as the page shows it. */
const TELLS_OF_CHANGES: ReadonlySet<string> = new Set([
  "price_changed",
  "geo_blocked",
  "already_bought",
  "no_trial",
  "trial_used",
  "wrong_promo_code",
]);

const CARDS: Query = { method: "api.listCards", args: {} };
const GEO: Query = { method: "api.getGeo", args: {} };

/** How long whoever should go on with a purchase may take to. */
const TAKEN_OVER_WITHIN = 10 * SECOND;
/** How long its tab may go without a word of it: longer than every call that it makes may take. */
const HEARD_OF_WITHIN = 2 * MINUTE;

/** What this page's own stream tells. */
const STREAM = [
  connectionInputs.statusReceived.type,
  connectionSnapshotReceived.type,
  connectionActions.welcomed.type,
  connectionActions.lost.type,
] as const;

/** What makes an order one that this page waits for. */
const WATCHED = [
  purchaseActions.accepted.type,
  purchaseActions.confirmed.type,
  purchaseActions.resumed.type,
  purchaseActions.adopted.type,
  connectionActions.welcomed.type,
];

/** What may end it besides: its buyer is not the one who is here. */
const MOVES = [
  ...TABS,
  authActions.succeeded.type,
  authActions.profileLoaded.type,
  authActions.loggedOut.type,
  authActions.reset.type,
] as const;

/**
 * PAY. Reads the state, does its one step, and reads again: a page that is loaded in the middle goes on where the
 * state stands.
 */
export function* purchaseSaga(): SagaGenerator<void> {
  yield* takeEvery(purchaseActions.orderSeen, function* ({ payload: { status } }) {
    // The card that was refused is not offered again (PAY-11).
    if (status === "failed") yield* read(CARDS);
    if (status !== "paid") return;
    // What was bought opens without a reload.
    yield* put(queryActions.invalidated());
    yield* refreshProfile();
  });

  // What this page shows is old where the worker says so: it is read again.
  yield* takeEvery(purchaseActions.refused, function* ({ payload: { key, code } }) {
    if (key === null || !TELLS_OF_CHANGES.has(code)) return;
    yield* put(queryActions.invalidated());
    if (code === "geo_blocked") yield* read(GEO);
  });

  // What an upstream without a feed must be polled for.
  yield* takeEvery(WATCHED, function* () {
    const state = yield* select(selectPurchase);
    if (state.at === "processing" && (yield* select(selectLive)) && (yield* select(selectDrives(state.owner))))
      yield* attempt("sync.watch", { kind: "order", id: state.orderId });
  });

  // The card of this page's form: it is behind the account port, and dies with the page.
  let card: string | null = null;
  // Nothing went out under the purchase's key yet. A page that was loaded in the middle cannot know.
  let unsent = false;
  let loaded = true;
  // Another tab moved it on while this one drove.
  let moved = false;
  for (;;) {
    const state = yield* select(selectPurchase);
    switch (state.at) {
      case "preparing":
      case "rejected":
      case "succeeded":
      case "failed":
        loaded = false;
        card = yield* choose(state);
        unsent = true;
        break;
      case "submitting":
      case "confirming":
      case "processing":
      case "interrupted": {
        if (!(yield* select(selectDrives(state.owner)))) {
          // What its own tab sent under the key is not known here.
          unsent = false;
          yield* standBy(state);
          break;
        }
        const { id } = yield* select(selectTab);
        const taken = state.owner !== id;
        if (taken) yield* adopt(state);
        const stale = (loaded || taken || moved) && state.at === "interrupted" && (yield* select(selectOnline));
        loaded = false;
        if (stale) {
          // What interrupted it was another page's.
          yield* put(purchaseActions.resumed({ key: state.key, by: "load" }));
          break;
        }
        const step = drive({ ...state, owner: id }, { card, unsent: unsent && !taken });
        unsent = false;
        const over = yield* race({ step: call(() => step), moved: call(movedOn) });
        moved = over.moved === true && state.at !== "interrupted";
        break;
      }
    }
  }
}

type Begun = At<"submitting" | "confirming" | "processing" | "interrupted">;

/**
 * PAY-9. Another tab drives it. Takes it over where nobody does, and where the viewer asks for it: it goes on under its key,
 * which is charged once however many tabs it went through.
 */
function* standBy(state: Begun): SagaGenerator<void> {
  const { key, at } = state;
  const patience = yield* select(patienceWith(state));
  const { told, retry } = yield* race({
    told: call(toldOtherwise, state, patience),
    ...(at === "interrupted" || at === "confirming" ? { retry: take(purchaseActions.retryPressed) } : {}),
    ...(patience === null ? {} : { over: call(sleep, "purchase.takeover", patience) }),
  });
  if (told) return;
  yield* adopt(state);
  if (at === "interrupted" && retry !== undefined) yield* put(purchaseActions.resumed({ key, by: "retry" }));
}

function* adopt({ key, owner: from }: Begun): SagaGenerator<void> {
  const { id, others } = yield* select(selectTab);
  yield* put(purchaseActions.adopted({ key, owner: id, ...(others.length === 0 ? {} : { from }) }));
}

/**
 * How long a tab that does not drive it leaves it to the one that does, milliseconds; null: to its end. That tab may be
 * gone, and the one that drives for those that are gone have a purchase of its own; or it may have let go of it itself.
 */
const patienceWith =
  (state: Begun) =>
  (root: RootState): number | null => {
    const order = state.at === "submitting" || state.orderId === null ? null : selectOrder(state.orderId)(root);
    if (selectGone(state.owner)(root) || (order !== null && order.status !== "created")) return TAKEN_OVER_WITHIN;
    const silent = state.at === "submitting" || (state.at === "processing" && !selectLive(root));
    return silent ? HEARD_OF_WITHIN : null;
  };

/** Settles when the purchase is no longer as it was, or what becomes of it here. */
function* toldOtherwise(state: Begun, patience: number | null): SagaGenerator<true> {
  for (;;) {
    yield* take([...MOVES, ...STREAM]);
    if ((yield* select(selectPurchase)) !== state || (yield* select(selectDrives(state.owner)))) return true;
    if ((yield* select(patienceWith(state))) !== patience) return true;
  }
}

/**
 * Settles when another tab took the purchase on, moved it, ended it, or heard of its order, and when its buyer is gone:
 * what comes next is read anew.
 */
function* movedOn(): SagaGenerator<true> {
  for (;;) {
    const told = yield* take([...MOVES]);
    const state = yield* select(selectPurchase);
    if (!("owner" in state) || !(yield* select(selectDrives(state.owner)))) return true;
    if (!factsHeard.match(told)) continue;
    const { facts } = told.payload;
    // What this page's own stream tells is waited for there.
    const live = yield* select(selectLive);
    if (facts.some((fact) => concerns(state, fact) || (!live && isOfOrder(fact)))) return true;
  }
}

const isOfOrder = (fact: { type: string }): boolean =>
  connectionSnapshotReceived.match(fact) ||
  (connectionInputs.statusReceived.match(fact) && fact.payload.kind === "order");

/** Waits for the button. Gives the handle of a new card. */
function* choose(state: At<"preparing" | "rejected" | "succeeded" | "failed">): SagaGenerator<string | null> {
  const { pressed, online } = yield* race({
    pressed: take(purchaseActions.submitPressed),
    tabs: take([...TABS, purchaseActions.adopted.type]),
    ...(state.at === "rejected" && state.code === "offline" ? { online: take(connectionInputs.cameOnline) } : {}),
  });
  if (online !== undefined) yield* put(purchaseActions.refusalLifted());
  if (pressed === undefined) return null;
  const { choice } = pressed.payload;
  const checked = checkChoice(choice, yield* select(choiceFacts(choice)));
  if (!checked.ok) {
    yield* put(purchaseActions.refused({ key: null, ...checked.error }));
    return null;
  }
  const { id } = yield* select(selectTab);
  const user_id = yield* select(selectUserId);
  const key = yield* newId("purchase");
  // Another tab was pressed at the same moment, and told of it first.
  if ("key" in (yield* select(selectPurchase))) return null;
  yield* put(
    purchaseActions.submitted({ key, owner: id, ...(user_id === null ? {} : { user_id }), request: checked.value }),
  );
  return choice.payment_method_id === undefined ? (choice.card_handle ?? null) : null;
}
