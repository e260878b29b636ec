import { call, put, race, type SagaGenerator, select, take, takeEvery } from "typed-redux-saga";
import { SECOND } from "../lib/time";
import type { Purchase } from "../machines/purchase";
import { checkChoice } from "../machines/purchaseChoice";
import { newId, sleep } from "../ports/ask";
import { authActions, selectUserId } from "../slices/auth";
import { connectionActions, connectionInputs, connectionSnapshotReceived, selectLive } from "../slices/connection";
import { selectOnline } from "../slices/network";
import { concerns, purchaseActions, selectPurchase } from "../slices/purchase";
import { queryActions } from "../slices/queries";
import { factsHeard, selectDrives, selectGone, selectTab, tabActions } from "../slices/tabs";
import { attempt } from "./attempt";
import { refreshProfile } from "./auth";
import { choiceFacts } from "./purchaseFacts";
import { drive } from "./purchaseSteps";

type At<A extends Purchase["at"]> = Extract<Purchase, { at: A }>;

/** What may change who drives the purchase. */
const TABS = [
  tabActions.identified.type,
  tabActions.holderChanged.type,
  tabActions.othersChanged.type,
  factsHeard.type,
] as const;

/** How long the tab that drives for those that are gone may take to go on with a purchase of one of them. */
const ORPHANED_AFTER = 10 * SECOND;
const ORPHANED = "The tab that was buying is gone";

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
    if (status !== "paid") return;
    // What was bought opens without a reload.
    yield* put(queryActions.invalidated());
    yield* refreshProfile();
  });

  // What an upstream without a feed must be polled for.
  yield* takeEvery([purchaseActions.accepted, purchaseActions.confirmed, connectionActions.welcomed], function* () {
    const state = yield* select(selectPurchase);
    if (state.at === "processing" && (yield* select(selectLive)) && (yield* select(selectDrives(state.owner))))
      yield* attempt("sync.watch", { kind: "order", id: state.orderId });
  });

  // The card of this page's form: it is behind the account port, and dies with the page.
  let card: string | null = null;
  // Nothing went out under the purchase's key yet. A page that was loaded in the middle cannot know.
  let unsent = false;
  let loaded = true;
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
        const { id } = yield* select(selectTab);
        if (!(yield* select(selectDrives(state.owner)))) {
          // What its own tab sent under the key is not known here.
          unsent = false;
          yield* standBy(state, id);
          break;
        }
        const taken = state.owner !== id;
        if (taken) yield* put(purchaseActions.adopted({ key: state.key, owner: id }));
        const stale = (loaded || taken) && state.at === "interrupted" && (yield* select(selectOnline));
        loaded = false;
        if (stale) {
          // What interrupted it was another page's.
          yield* put(purchaseActions.resumed({ key: state.key, by: "load" }));
          break;
        }
        const step = drive({ ...state, owner: id }, { card, unsent: unsent && !taken });
        unsent = false;
        yield* race({ step: call(() => step), moved: call(movedOn) });
        break;
      }
    }
  }
}

type Begun = At<"submitting" | "confirming" | "processing" | "interrupted">;

/** Another tab drives it, or one that writes for the viewer takes it over. Gives up waiting for that one. */
function* standBy(state: Begun, id: string): SagaGenerator<void> {
  const { key } = state;
  const interrupted = state.at === "interrupted";
  const gone = yield* select(selectGone(state.owner));
  const { retry, orphaned } = yield* race({
    told: call(toldOtherwise, state, gone),
    ...(interrupted ? { retry: take(purchaseActions.retryPressed) } : {}),
    // Two tabs were pressed at once, and the one that would take it over has its own.
    ...(gone && !interrupted ? { orphaned: call(orphanedFor, ORPHANED_AFTER) } : {}),
  });
  if (orphaned !== undefined) yield* put(purchaseActions.interrupted({ key, message: ORPHANED }));
  if (retry === undefined) return;
  // Nothing of it is under way: the page whose button was pressed goes on with it.
  yield* put(purchaseActions.adopted({ key, owner: id }));
  yield* put(purchaseActions.resumed({ key, by: "retry" }));
}

function* orphanedFor(ms: number): SagaGenerator<true> {
  yield* sleep("purchase.orphaned", ms);
  return true;
}

/** Settles when the purchase is no longer as it was, or it is for others to drive. */
function* toldOtherwise(state: Begun, gone: boolean): SagaGenerator<void> {
  for (;;) {
    yield* take([...MOVES]);
    if ((yield* select(selectPurchase)) !== state || (yield* select(selectDrives(state.owner)))) return;
    if ((yield* select(selectGone(state.owner))) !== gone) return;
  }
}

/**
 * Settles when another tab took the purchase on, moved it, ended it, or heard of its order, and when its buyer is gone:
 * what comes next is read anew.
 */
function* movedOn(): SagaGenerator<void> {
  for (;;) {
    const told = yield* take([...MOVES]);
    const state = yield* select(selectPurchase);
    if (!("owner" in state) || !(yield* select(selectDrives(state.owner)))) return;
    if (!factsHeard.match(told)) continue;
    const { facts } = told.payload;
    // What this page's own stream tells is waited for there.
    const live = yield* select(selectLive);
    if (facts.some((fact) => concerns(state, fact) || (!live && isOfOrder(fact)))) return;
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
