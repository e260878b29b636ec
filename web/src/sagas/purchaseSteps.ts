import { call, put, race, type SagaGenerator, select, take } from "typed-redux-saga";
import type { CurrentPrice, Order } from "../contracts/resources";
import { SECOND } from "../lib/time";
import {
  type Purchase,
  type PurchaseFacts,
  type QuotedPrice,
  RETRY_INTERVAL,
  type ResumeCause,
} from "../machines/purchase";
import { INTERRUPTED } from "../machines/purchaseChoice";
import { currentPriceOf } from "../ports/error";
import { now, type PortError, sleep, sleepUntil } from "../ports/world";
import { selectUserId } from "../slices/auth";
import { connectionActions, connectionInputs, connectionSnapshotReceived, selectLive } from "../slices/connection";
import type { RootState } from "../slices/index";
import { selectOnline } from "../slices/network";
import { ordersActions, selectOrder } from "../slices/orders";
import { purchaseActions, selectPurchase } from "../slices/purchase";
import { attempt } from "./attempt";
import { reportPurchase } from "./purchaseReport";
import { until } from "./stream";

/** PAY-2. */
export const POLL_INTERVAL = 2 * SECOND;
/** PAY-3. Interval of checks while the stream is live: a socket can be dead without a close. */
export const CHECK_INTERVAL = 5 * SECOND;

type At<A extends Purchase["at"]> = Extract<Purchase, { at: A }>;

/** Actions after which the stream takes over from polling, or the reverse. */
const LINK_CHANGES = [
  connectionActions.left.type,
  connectionActions.connectBegan.type,
  connectionActions.welcomed.type,
  connectionActions.lost.type,
  connectionActions.drainBegan.type,
  connectionInputs.wentOffline.type,
  connectionActions.positionDropped.type,
] as const;

/** The leader's knowledge of a purchase besides its state. */
interface Context {
  readonly unsent: boolean;
}

/** Performs the state's next step. */
export function* drive(
  state: At<"submitting" | "confirming" | "processing" | "interrupted">,
  context: Context,
): SagaGenerator<void> {
  // A push may have arrived before the answer with the order's id.
  if (state.at !== "submitting" && state.orderId !== null) {
    const order = yield* select(selectOrder(state.orderId));
    if (order !== null && order.version >= state.version) {
      if (order.status !== "created") return yield* reportOrder(state.key, order, "push");
      // The viewer's answer to the bank was lost.
      if (state.at === "processing" && !state.confirmed && needsViewer(order)) return yield* onOrder(state.key, order);
    }
  }
  switch (state.at) {
    case "submitting":
      return yield* submit(state, context);
    case "confirming":
      return yield* confirm(state);
    case "processing":
      return yield* follow(state);
    case "interrupted":
      return yield* waitToResume(state);
  }
}

const hasLoggedOut = (now: RootState, { user_id }: At<"submitting">): boolean =>
  user_id !== undefined && selectUserId(now) !== user_id;

/** PAY-4: nothing is sent before its key is durable, and every retry uses that key. */
function* submit(state: At<"submitting">, { unsent }: Context): SagaGenerator<void> {
  const { key, request } = state;
  const { payment_method_id } = request;
  // The buyer had left before the leader received the press.
  if (unsent && (yield* select(hasLoggedOut, state))) {
    yield* put(purchaseActions.abandoned({ key }));
    return;
  }
  if (payment_method_id === null) return yield* refuse(key, INTERRUPTED);
  const flushed = yield* attempt("storage.flush", {});
  // A key that was sent before may have an order: it isn't dropped for lack of space.
  if (!flushed.ok) return unsent ? yield* refuse(key, flushed.error) : yield* interrupt(key, flushed.error);
  // The buyer pressed log out while this was stored: their key works until the channel processes it.
  if (yield* select(hasLoggedOut, state)) {
    yield* put(purchaseActions.abandoned({ key }));
    return;
  }

  const { kind, id, single_event_package_id, participant_id, save_card, promo_code, shown } = request;
  const answer =
    kind === "trial"
      ? yield* attempt("api.startTrial", {
          idempotency_key: key,
          subscription_id: id,
          payment_method_id,
          ...expectedPrice(shown),
          ...(shown?.trial_days === undefined ? {} : { expected_trial_days: shown.trial_days }),
          ...buyer(state),
        })
      : yield* attempt("api.buy", {
          idempotency_key: key,
          type: kind,
          id,
          ...(single_event_package_id === undefined ? {} : { single_event_package_id }),
          ...(participant_id === undefined ? {} : { participant_id }),
          payment_method_id,
          ...(save_card === undefined ? {} : { save_card }),
          ...(promo_code === undefined ? {} : { promo_code }),
          ...expectedPrice(shown),
          ...buyer(state),
        });
  if (!answer.ok) {
    const { retryable, status } = answer.error;
    // A throttled call made no order, unless an earlier one under its key did.
    if (status === 429 && unsent) return yield* refuse(key, answer.error);
    // Without a usable answer nobody knows whether there is an order: the same key finds out.
    if (retryable || status === undefined) return yield* interrupt(key, answer.error);
    return yield* refuse(key, answer.error, currentPriceOf(answer.error));
  }
  const order = answer.value;
  yield* put(ordersActions.orderAnswered({ order }));
  const placed = { key, order_id: order.id, version: order.version };
  if (needsViewer(order)) {
    yield* put(purchaseActions.confirmationAsked(placed));
    return;
  }
  yield* put(purchaseActions.accepted(placed));
  yield* reportOrder(key, order, "answer");
}

/**
 * A page puts the bank's question (3-D Secure). The order may be decided meanwhile, on another device or by timeout.
 */
function* confirm({ key, orderId }: At<"confirming">): SagaGenerator<void> {
  const { push } = yield* race({
    push: call(pushed, orderId),
    answer: call(() => until(({ purchase }) => purchase.at !== "confirming")),
  });
  if (push !== undefined) yield* reportOrder(key, push, "push");
}

/** PAY-2, PAY-3: follows the order by polling, or by the stream and rarer checks. */
function* follow(state: At<"processing">): SagaGenerator<void> {
  const { key, orderId } = state;
  const live = yield* select(selectLive);
  if (live) {
    if (state.pollAt !== null) {
      yield* put(purchaseActions.pollRested({ key }));
      return;
    }
    const { push, check } = yield* race({
      push: call(pushed, orderId),
      link: take([...LINK_CHANGES]),
      check: call(checkLater, state),
    });
    if (push !== undefined) yield* onOrder(key, push);
    else if (check?.ok) yield* onAnswer(state, check.value);
    return;
  }
  if (state.pollAt === null) {
    // Back to the state: no event may fall between this read and the wait.
    yield* put(purchaseActions.pollScheduled({ key, at: (yield* now()) + POLL_INTERVAL }));
    return;
  }
  const { poll, push } = yield* race({
    poll: call(pollAt, state, state.pollAt),
    push: call(pushed, orderId),
    live: take(connectionActions.welcomed),
  });
  if (push !== undefined) return yield* onOrder(key, push);
  if (poll === undefined) return;
  if (!poll.ok) return yield* interrupt(key, poll.error);
  if (yield* onAnswer(state, poll.value)) return;
  if ((yield* select(selectPurchase)).at === "processing")
    yield* put(purchaseActions.pollScheduled({ key, at: (yield* now()) + POLL_INTERVAL }));
}

const readOrder = (state: At<"processing">) => attempt("api.getOrder", { id: state.orderId, ...buyer(state) });

function* pollAt(state: At<"processing">, at: number) {
  yield* sleepUntil("purchase.poll", at, POLL_INTERVAL);
  return yield* readOrder(state);
}

function* checkLater(state: At<"processing">) {
  yield* sleep("purchase.check", CHECK_INTERVAL);
  return yield* readOrder(state);
}

/** Returns true if the viewer must answer the bank: with the order in the state, the next step puts the question. */
function* onAnswer({ key, confirmed }: At<"processing">, order: Order): SagaGenerator<boolean> {
  yield* put(ordersActions.orderAnswered({ order }));
  if (needsViewer(order) && !confirmed) return true;
  yield* reportOrder(key, order, "poll");
  return false;
}

/** Going online, a push, the viewer or a timeout resumes it. */
function* waitToResume({ key, orderId }: At<"interrupted">): SagaGenerator<void> {
  const online = yield* select(selectOnline);
  const { push, retry, network } = yield* race({
    retry: take(purchaseActions.retryPressed),
    network: take([connectionInputs.cameOnline, connectionInputs.wentOffline, connectionActions.welcomed]),
    push: call(pushed, orderId),
    // The network is up and the answer was lost: no event would report the order.
    ...(online && orderId === null ? { time: call(sleep, "purchase.retry", RETRY_INTERVAL) } : {}),
  });
  if (connectionInputs.wentOffline.match(network)) return;
  const by: ResumeCause = push ? "push" : retry ? "retry" : network ? "online" : "time";
  if (push !== undefined) yield* reportOrder(key, push, "push");
  if ((yield* select(selectPurchase)).at === "interrupted") yield* put(purchaseActions.resumed({ key, by }));
}

/** The order's next status from the stream. */
function* pushed(orderId: number | null): SagaGenerator<Order> {
  for (;;) {
    const input = yield* take([connectionInputs.statusReceived, connectionSnapshotReceived]);
    const statuses = connectionSnapshotReceived.match(input) ? input.payload.statuses : [input.payload];
    for (const status of statuses) if (status.kind === "order" && status.id === orderId) return status.state;
  }
}

/** The bank may need the viewer only after the order was placed: the stream reports that as well as the end. */
function* onOrder(key: string, order: Order): SagaGenerator<void> {
  const { id, version } = order;
  if (needsViewer(order)) yield* put(purchaseActions.confirmationAsked({ key, order_id: id, version }));
  else yield* reportOrder(key, order, "push");
}

/** Passes the order to the machine. A paid order is recorded for analytics first, so that no reload comes between. */
function* reportOrder(key: string, order: Order, via: PurchaseFacts["orderSeen"]["via"]): SagaGenerator<void> {
  const { id, status, version, failure } = order;
  if (status === "paid") yield* reportPurchase(order);
  yield* put(purchaseActions.orderSeen({ key, order_id: id, status, version, via, failure: failure ?? null }));
}

function* refuse(
  key: string,
  { code, message }: Pick<PortError, "code" | "message">,
  price: CurrentPrice | null = null,
): SagaGenerator<void> {
  yield* put(purchaseActions.refused({ key, code, message, ...(price === null ? {} : { price }) }));
}

/** The displayed price in the worker's format. */
const expectedPrice = (shown: QuotedPrice | undefined) =>
  shown === undefined
    ? {}
    : {
        expected_total: shown.total,
        ...(shown.service_fee === undefined ? {} : { expected_service_fee: shown.service_fee }),
        ...(shown.renewal_price === undefined ? {} : { expected_renewal_price: shown.renewal_price }),
        currency: shown.currency,
      };

function* interrupt(key: string, { code, message, status }: PortError): SagaGenerator<void> {
  // The browser is another person's by now, which this page doesn't know yet. The purchase is in its buyer's orders.
  if (code === "wrong_user") yield* put(purchaseActions.abandoned({ key }));
  else yield* put(purchaseActions.interrupted({ key, message, ...(status === undefined ? {} : { status }) }));
}

/** The buyer whose key the request needs, if known. */
const buyer = ({ user_id }: { readonly user_id?: number }): { user_id?: number } =>
  user_id === undefined ? {} : { user_id };

const needsViewer = ({ status, next_action }: Order): boolean => status === "created" && next_action !== undefined;
