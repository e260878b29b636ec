import { call, fork, put, type SagaGenerator, select, takeEvery, takeLatest, takeLeading } from "typed-redux-saga";
import type { Id, Order } from "../contracts/resources";
import type { Result } from "../lib/result";
import type { Handle } from "../ports/calls";
import { type PortError, sleep } from "../ports/world";
import {
  cardPressed,
  customerPortalPressed,
  eventDownloadPressed,
  renewalCardChosen,
  renewalConfirmPressed,
  socialLoginPressed,
} from "../slices/account";
import { clipsActions, selectClipsBeingDeleted } from "../slices/clips";
import { deviceActions } from "../slices/devices";
import { ordersActions, selectOrder } from "../slices/orders";
import { queryActions } from "../slices/queries";
import { toastActions } from "../slices/toast";
import { userActions } from "../slices/user";
import { attempt, attemptStored } from "./attempt";
import { POLL_INTERVAL } from "./purchaseSteps";
import { read } from "./queries";

/** Reads of a confirmed renewal while no status arrives; after that the result appears on the next read. */
const MAX_POLLS = 15;

/** Actions of one button with one call. */
export function* accountSaga(): SagaGenerator<void> {
  yield* takeLeading(customerPortalPressed, function* () {
    const portal = yield* attempt("api.getCustomerPortal", {});
    if (yield* succeeded(portal)) yield* open(portal);
  });

  yield* takeLeading(renewalCardChosen, function* ({ payload: { subscription_id, ...chosen } }) {
    const card = yield* cardOf(chosen);
    if (card === null) return;
    const changed = yield* attempt("api.useCard", { subscription_id, payment_method_id: card });
    if (yield* succeeded(changed)) yield* put(queryActions.invalidated());
  });

  // Pressed again after a refusal, the next question is put at once.
  yield* takeLatest(renewalConfirmPressed, function* ({ payload: { order_id } }) {
    // Read again: an earlier payment of the order had another secret, and this one may be decided by now.
    const order = yield* readOrder(order_id);
    if (order?.next_action === undefined) return;
    const confirmed = yield* attempt("payments.confirm", { order_id });
    if (yield* succeeded(confirmed)) yield* call(follow, order);
  });

  yield* takeLeading(cardPressed, function* ({ payload: { act, ...chosen } }) {
    const card = yield* cardOf(chosen);
    if (card === null) return;
    const changed =
      act === "remove"
        ? yield* attempt("api.removeCard", { payment_method_id: card })
        : yield* attempt("api.saveCard", { payment_method_id: card, is_default: act === "default" });
    if (yield* succeeded(changed)) yield* read({ method: "api.listCards", args: {} });
  });

  yield* takeLeading(socialLoginPressed, function* ({ payload: { provider } }) {
    const start = yield* attempt("api.startSocialLogin", { provider });
    if (yield* succeeded(start)) yield* open(start);
  });

  yield* takeLeading(eventDownloadPressed, function* ({ payload: { id } }) {
    const file = yield* attempt("api.downloadEvent", { id });
    if (yield* succeeded(file)) yield* download(file);
  });

  yield* takeLeading(clipsActions.downloadPressed, function* ({ payload: { id } }) {
    const file = yield* attempt("api.downloadClip", { id });
    if (yield* succeeded(file)) yield* download(file);
  });

  yield* takeEvery(deviceActions.revokePressed, function* ({ payload: { id } }) {
    const answer = yield* attempt("api.revokeSession", { id });
    if (isMissing(answer) || (yield* succeeded(answer))) yield* put(deviceActions.revoked({ id }));
  });

  yield* takeEvery(deviceActions.unlinkPressed, function* ({ payload: { id, provider } }) {
    const answer = yield* attempt("api.unlinkLogin", { provider });
    if (isMissing(answer) || (yield* succeeded(answer))) yield* put(deviceActions.revoked({ id }));
  });
}

/** A saved card, or one from a form that becomes a payment method; null if it didn't. */
function* cardOf({ payment_method_id, handle }: { payment_method_id: string | null; handle: Handle | null }) {
  if (handle === null) return payment_method_id;
  const created = yield* attempt("payments.createCard", { handle });
  return (yield* succeeded(created)) && created.ok ? created.value.payment_method_id : null;
}

/** SUB-9: waits for the stream to announce a renewal's result, or else rereads its order. */
function* follow({ id, version }: Order): SagaGenerator<void> {
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    yield* call(sleep, "renewal.poll", POLL_INTERVAL);
    if ((yield* select(selectOrder(id)))?.version !== version || (yield* readOrder(id)) === null) return;
  }
}

/** The channel's current order; null, with a notice to the viewer, if it can't be read. */
function* readOrder(id: Id): SagaGenerator<Order | null> {
  const order = yield* attempt("api.getOrder", { id });
  if (!(yield* succeeded(order)) || !order.ok) return null;
  yield* put(ordersActions.orderAnswered({ order: order.value }));
  return order.value;
}

/** The leader deletes clips. */
export function* clipDeletionSaga(): SagaGenerator<void> {
  yield* takeEvery(clipsActions.deletePressed, ({ payload: { id } }) => deleteClip(id));
  // Resumes deletions requested under the previous leader.
  for (const id of yield* select(selectClipsBeingDeleted)) yield* fork(deleteClip, id);
}

function* deleteClip(id: Id): SagaGenerator<void> {
  const answer = yield* attemptStored("api.deleteClip", { id });
  if (answer.ok || isMissing(answer)) yield* put(clipsActions.deleted({ id }));
  else {
    yield* put(clipsActions.deleteRefused({ id }));
    yield* succeeded(answer);
  }
}

/** A missing clip counts as deleted. */
const isMissing = (answer: Result<unknown, PortError>): boolean => !answer.ok && answer.error.status === 404;

/** Returns whether the call succeeded; notifies the viewer of a failure. */
function* succeeded<T>(answer: Result<T, PortError>): SagaGenerator<boolean> {
  if (!answer.ok) yield* put(toastActions.wanted({ text: answer.error.message, type: "error" }));
  return answer.ok;
}

function* open(answer: Result<{ url: string }, PortError>): SagaGenerator<void> {
  if (answer.ok) yield* attempt("ui.openUrl", { url: answer.value.url });
}

function* download(answer: Result<{ handle: Handle }, PortError>): SagaGenerator<void> {
  if (answer.ok) yield* attempt("ui.download", { handle: answer.value.handle });
  yield* put(userActions.downloaded());
}
