import { call, put, race, type SagaGenerator, select, take, takeEvery } from "typed-redux-saga";
import type { Order } from "../contracts/resources";
import { SECOND } from "../lib/time";
import { type Purchase, type PurchaseFacts, purchase as purchaseMachine, type ResumeCause } from "../machines/purchase";
import { CARD_NOT_SELECTED, checkChoice } from "../machines/purchaseChoice";
import { newId, now, type PortError, sleepUntil } from "../ports/ask";
import { authActions } from "../slices/auth";
import { connectionActions, connectionInputs, connectionSnapshotReceived, selectLive } from "../slices/connection";
import { selectOnline } from "../slices/network";
import { ordersActions, selectOrder } from "../slices/orders";
import { purchaseActions, selectPurchase } from "../slices/purchase";
import { queryActions } from "../slices/queries";
import { factsHeard, selectDrives, selectTab, tabActions } from "../slices/tabs";
import { attempt } from "./attempt";
import { refreshProfile } from "./auth";
import { choiceFacts } from "./purchaseFacts";
import { reportPurchase } from "./purchaseReport";

/** PAY-2. */
export const POLL_EVERY = 2 * SECOND;

type At<A extends Purchase["at"]> = Extract<Purchase, { at: A }>;

/** What may change who drives the purchase. */
const TABS = [
  tabActions.identified.type,
  tabActions.holderChanged.type,
  tabActions.othersChanged.type,
  factsHeard.type,
] as const;

/** When the stream comes or goes, what drives the purchase changes hands. */
const LINK = [
  connectionActions.left.type,
  connectionActions.connectBegan.type,
  connectionActions.welcomed.type,
  connectionActions.lost.type,
  connectionActions.drainBegan.type,
  connectionInputs.wentOffline.type,
  connectionActions.positionDropped.type,
] as const;

/**
 * PAY. Reads the state, does its one step, and reads again: a page that is loaded in the middle goes on where the
 * state stands.
 */
export function* purchaseSaga(): SagaGenerator<void> {
  yield* takeEvery([authActions.loggedOut, authActions.reset], function* () {
    yield* put(purchaseActions.abandoned());
  });

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
          const { retry } = yield* race({
            told: take([...TABS, purchaseActions.abandoned.type]),
            ...(state.at === "interrupted" ? { retry: take(purchaseActions.retryPressed) } : {}),
          });
          if (retry === undefined) break;
          // Nothing of it is under way: the page whose button was pressed goes on with it.
          yield* put(purchaseActions.adopted({ owner: id }));
          yield* put(purchaseActions.resumed({ by: "retry" }));
          break;
        }
        if (state.owner !== id) yield* put(purchaseActions.adopted({ owner: id }));
        const stale = loaded && state.at === "interrupted" && (yield* select(selectOnline));
        loaded = false;
        if (stale) {
          // What interrupted it was another page's.
          yield* put(purchaseActions.resumed({ by: "load" }));
          break;
        }
        const step = drive({ ...state, owner: id }, { card, unsent: unsent && state.owner === id });
        unsent = false;
        yield* race({ step: call(() => step), over: take(purchaseActions.abandoned), elsewhere: call(movedElsewhere) });
        break;
      }
    }
  }
}

/** Settles when another tab took the purchase on, moved it, or heard of its order: what comes next is read anew. */
function* movedElsewhere(): SagaGenerator<void> {
  for (;;) {
    const told = yield* take([...TABS]);
    const state = yield* select(selectPurchase);
    if (!("owner" in state) || !(yield* select(selectDrives(state.owner)))) return;
    if (!factsHeard.match(told)) continue;
    const { facts } = told.payload;
    // What this page's own stream tells is waited for there.
    const live = yield* select(selectLive);
    if (facts.some((fact) => isOfPurchase(fact) || (!live && isOfOrder(fact)))) return;
  }
}

const isOfPurchase = ({ type }: { type: string }): boolean => type.startsWith(`${purchaseMachine.name}/`);
const isOfOrder = (fact: { type: string }): boolean =>
  connectionSnapshotReceived.match(fact) ||
  (connectionInputs.statusReceived.match(fact) && fact.payload.kind === "order");

/** What a page knows of a purchase besides its state. */
interface Known {
  readonly card: string | null;
  readonly unsent: boolean;
}

function* drive(
  state: At<"submitting" | "confirming" | "processing" | "interrupted">,
  known: Known,
): SagaGenerator<void> {
  // A push may have come before the answer that tells which order is ours.
  if (state.at !== "submitting" && state.orderId !== null) {
    const order = yield* select(selectOrder(state.orderId));
    if (order !== null && order.status !== "created" && order.version >= state.version)
      return yield* see(order, "push");
  }
  switch (state.at) {
    case "submitting":
      return yield* submit(state, known);
    case "confirming":
      return yield* confirm(state);
    case "processing":
      return yield* follow(state);
    case "interrupted":
      return yield* waitToResume(state);
  }
}

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
    yield* put(purchaseActions.refused({ ...checked.error }));
    return null;
  }
  const { id } = yield* select(selectTab);
  const key = yield* newId("purchase");
  // Another tab was pressed at the same moment, and told of it first.
  if ("key" in (yield* select(selectPurchase))) return null;
  yield* put(purchaseActions.submitted({ key, owner: id, request: checked.value }));
  return choice.payment_method_id === undefined ? (choice.card_handle ?? null) : null;
}

/** PAY-4: nothing goes out before its key is durable, and whatever happens it goes out under that key. */
function* submit({ key, request }: At<"submitting">, { card, unsent }: Known): SagaGenerator<void> {
  let { payment_method_id } = request;
  if (payment_method_id === null) {
    if (card === null) return yield* refuse("card_not_selected", CARD_NOT_SELECTED);
    const created = yield* attempt("payments.createCard", { handle: card });
    // Nothing was asked for yet: the viewer presses again.
    if (!created.ok) return yield* refuse(created.error.code, created.error.message);
    payment_method_id = created.value.payment_method_id;
    yield* put(purchaseActions.cardHeld({ payment_method_id }));
  }
  const kept = yield* attempt("storage.flush", {});
  // Under a key that went out before there may be an order: it is not forgotten for want of room.
  if (!kept.ok) return unsent ? yield* refuse(kept.error.code, kept.error.message) : yield* interrupt(kept.error);

  const { kind, id, single_event_package_id, participant_id, promo_code } = request;
  const answer =
    kind === "trial"
      ? yield* attempt("api.startTrial", { idempotency_key: key, subscription_id: id, payment_method_id })
      : yield* attempt("api.buy", {
          idempotency_key: key,
          type: kind,
          id,
          ...(single_event_package_id === undefined ? {} : { single_event_package_id }),
          ...(participant_id === undefined ? {} : { participant_id }),
          payment_method_id,
          ...(promo_code === undefined ? {} : { promo_code }),
        });
  if (!answer.ok) {
    const { code, message, retryable, status } = answer.error;
    // A call that was turned away at the door made no order, unless an earlier one under its key did.
    if (status === 429 && unsent) return yield* refuse(code, message);
    // Without a usable answer nobody knows whether there is an order: the same key will find out.
    if (retryable || status === undefined) return yield* interrupt(answer.error);
    return yield* refuse(code, message);
  }
  const order = answer.value;
  yield* put(ordersActions.orderAnswered({ order }));
  const placed = { order_id: order.id, version: order.version };
  if (asksForViewer(order)) {
    yield* put(purchaseActions.confirmationAsked(placed));
    return;
  }
  yield* put(purchaseActions.accepted(placed));
  yield* see(order, "answer");
}

/** The bank's question (3-D Secure). The order may be decided meanwhile, on another device or by time. */
function* confirm({ orderId }: At<"confirming">): SagaGenerator<void> {
  const { answer, push } = yield* race({
    answer: call(() => attempt("payments.confirm", { order_id: orderId })),
    push: call(pushed, orderId),
  });
  if (push !== undefined) return yield* see(push, "push");
  if (answer === undefined) return;
  if (answer.ok || answer.error.code === "nothing_to_confirm") yield* put(purchaseActions.confirmed());
  else if (answer.error.retryable || answer.error.status === undefined) yield* interrupt(answer.error);
  else yield* put(purchaseActions.confirmationRefused({ message: answer.error.message }));
}

/** PAY-2, PAY-3: the stream tells, or else the order is asked for. Never both. */
function* follow(state: At<"processing">): SagaGenerator<void> {
  const { orderId } = state;
  const live = yield* select(selectLive);
  if (live) {
    if (state.pollAt !== null) {
      yield* put(purchaseActions.pollRested());
      return;
    }
    const { push } = yield* race({ push: call(pushed, orderId), link: take([...LINK]) });
    if (push !== undefined) yield* hear(push);
    return;
  }
  if (state.pollAt === null) {
    // Back to the state: between what is read here and what is waited for, nothing may be told.
    yield* put(purchaseActions.pollScheduled({ at: (yield* now()) + POLL_EVERY }));
    return;
  }
  const { poll, push } = yield* race({
    poll: call(pollAt, orderId, state.pollAt),
    push: call(pushed, orderId),
    live: take(connectionActions.welcomed),
  });
  if (push !== undefined) return yield* hear(push);
  if (poll === undefined) return;
  if (!poll.ok) return yield* interrupt(poll.error);
  yield* put(ordersActions.orderAnswered({ order: poll.value }));
  if (asksForViewer(poll.value) && !state.confirmed) {
    yield* put(purchaseActions.confirmationAsked({ order_id: orderId, version: poll.value.version }));
    return;
  }
  yield* see(poll.value, "poll");
  if ((yield* select(selectPurchase)).at === "processing")
    yield* put(purchaseActions.pollScheduled({ at: (yield* now()) + POLL_EVERY }));
}

function* pollAt(orderId: number, at: number) {
  yield* sleepUntil("purchase.poll", at, POLL_EVERY);
  return yield* attempt("api.getOrder", { id: orderId });
}

/** Coming online, a push or the viewer goes on. */
function* waitToResume({ orderId }: At<"interrupted">): SagaGenerator<void> {
  const { push, retry } = yield* race({
    retry: take(purchaseActions.retryPressed),
    online: take([connectionInputs.cameOnline, connectionActions.welcomed]),
    push: call(pushed, orderId),
  });
  const by: ResumeCause = push !== undefined ? "push" : retry !== undefined ? "retry" : "online";
  if (push !== undefined) yield* see(push, "push");
  if ((yield* select(selectPurchase)).at === "interrupted") yield* put(purchaseActions.resumed({ by }));
}

/** The order, as the stream tells it next. */
function* pushed(orderId: number | null): SagaGenerator<Order> {
  for (;;) {
    const told = yield* take([connectionInputs.statusReceived, connectionSnapshotReceived]);
    const statuses = connectionSnapshotReceived.match(told) ? told.payload.statuses : [told.payload];
    for (const status of statuses) if (status.kind === "order" && status.id === orderId) return status.state;
  }
}

/** The bank may want the viewer only after the order was placed: the stream tells that as well as the end. */
function* hear(order: Order): SagaGenerator<void> {
  const { id, version } = order;
  if (asksForViewer(order)) yield* put(purchaseActions.confirmationAsked({ order_id: id, version }));
  else yield* see(order, "push");
}

/** Tells the machine. A paid order is reported before it is told, so that no reload comes between. */
function* see(order: Order, via: PurchaseFacts["orderSeen"]["via"]): SagaGenerator<void> {
  const { id, status, version, failure } = order;
  if (status === "paid") yield* reportPurchase(order);
  yield* put(purchaseActions.orderSeen({ order_id: id, status, version, via, failure: failure ?? null }));
}

function* refuse(code: string, message: string): SagaGenerator<void> {
  yield* put(purchaseActions.refused({ code, message }));
}

function* interrupt({ message, status }: PortError): SagaGenerator<void> {
  yield* put(purchaseActions.interrupted({ message, ...(status === undefined ? {} : { status }) }));
}

const asksForViewer = ({ status, next_action }: Order): boolean => status === "created" && next_action !== undefined;
