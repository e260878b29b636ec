import { call, put, race, type SagaGenerator, select, takeEvery, takeLeading } from "typed-redux-saga";
import {
  isInProgress,
  isOfSame,
  type PurchaseChoice,
  type PurchaseFacts,
  type PurchaseRequest,
} from "../machines/purchase";
import { ANOTHER_IN_PROGRESS, checkChoice, INTERRUPTED } from "../machines/purchaseChoice";
import { newId, type PortError } from "../ports/world";
import { selectUserId } from "../slices/auth";
import { checkoutActions, selectPaying } from "../slices/checkout";
import type { RootState } from "../slices/index";
import { paymentActions, selectStartedKey } from "../slices/payment";
import { purchaseActions, selectPurchase } from "../slices/purchase";
import { purchaseOf } from "../slices/purchaseResults";
import { selectTab, selectVisible } from "../slices/tabs";
import { attempt } from "./attempt";
import { choiceFacts } from "./purchaseFacts";
import { until, untilAnswered } from "./stream";

/** PAY-1: the steps that need the page whose button was pressed. It ends before the leader receives the purchase. */
export function* paySaga(): SagaGenerator<void> {
  yield* takeEvery(paymentActions.closed, function* () {
    yield* put(purchaseActions.opened());
  });
  yield* takeEvery(paymentActions.popupClosed, function* () {
    yield* put(purchaseActions.popupClosed());
  });
  const interrupted = yield* select(selectPaying);
  if (interrupted !== null) {
    const { started } = yield* select(({ payment }: RootState) => payment);
    if (started !== null) yield* resubmit(started);
    yield* put(checkoutActions.payingEnded());
    // The form's card was lost with the previous page.
    if (started === null) yield* refuse(INTERRUPTED, interrupted.request);
  }
  yield* takeLeading(purchaseActions.submitPressed, function* ({ payload: { choice } }) {
    yield* call(pay, choice);
  });
}

/** The previous page's leader may be gone: under its key the purchase happens once. */
function* resubmit(started: PurchaseFacts["submitted"]): SagaGenerator<void> {
  // Waits until the page knows whether it leads.
  yield* call(until, (state: RootState) => selectTab(state).id !== "");
  if ((yield* select(purchaseOf, started.key)) === null) yield* submit(started);
}

/** Asks the leader, and waits for its answer: the purchase has started, joined another one, or was not taken. */
function* submit(started: PurchaseFacts["submitted"]): SagaGenerator<void> {
  yield* put(purchaseActions.submitted(started));
  yield* call(untilAnswered);
  yield* call(
    until,
    (state: RootState) => purchaseOf(state, started.key) !== null || selectUserId(state) !== (started.user_id ?? null),
  );
}

function* pay(choice: PurchaseChoice): SagaGenerator<void> {
  const checked = checkChoice(choice, yield* select(choiceFacts(choice)));
  if (!checked.ok) return yield* refuse(checked.error);
  // One purchase at a time: the same item's is shown, and a press on another item is answered.
  const current = yield* select(selectPurchase);
  if (isInProgress(current)) {
    if (!isOfSame(current.request, checked.value)) yield* refuse(ANOTHER_IN_PROGRESS, checked.value);
    else if ((yield* select(selectStartedKey)) !== current.key)
      yield* put(paymentActions.followed({ key: current.key }));
    return;
  }
  const user_id = yield* select(selectUserId);
  const buyer = user_id === null ? {} : { user_id };
  const key = yield* newId("purchase");
  yield* put(checkoutActions.payingBegan({ request: checked.value }));
  const request = yield* withCard(checked.value, choice.card_handle ?? "", buyer);
  if (request !== null) {
    const started = { key, ...buyer, request };
    yield* put(paymentActions.started(started));
    yield* submit(started);
  }
  yield* put(checkoutActions.payingEnded());
}

/** Turns a new card into a payment method. null: it failed, and nothing was requested. */
function* withCard(
  request: PurchaseRequest,
  handle: string,
  buyer: { user_id?: number },
): SagaGenerator<PurchaseRequest | null> {
  if (request.payment_method_id !== null) return request;
  const created = yield* attempt("payments.createCard", { handle, ...buyer });
  if (created.ok) return { ...request, payment_method_id: created.value.payment_method_id };
  yield* refuse(created.error.status === undefined ? INTERRUPTED : created.error, request);
  return null;
}

function* refuse(
  { code, message }: Pick<PortError, "code" | "message">,
  request?: PurchaseRequest,
): SagaGenerator<void> {
  yield* put(purchaseActions.refused({ key: null, code, message, ...(request === undefined ? {} : { request }) }));
}

const hasQuestion = (state: RootState): boolean => selectVisible(state) && selectPurchase(state).at === "confirming";

/** A visible page puts the bank's question (3-D Secure). The first answer counts. */
export function* bankSaga(): SagaGenerator<void> {
  for (;;) {
    yield* call(until, hasQuestion);
    const state = yield* select(selectPurchase);
    if (state.at !== "confirming") continue;
    const { key, orderId, user_id } = state;
    const args = { order_id: orderId, ...(user_id === undefined ? {} : { user_id }) };
    const { answer } = yield* race({
      answer: call(() => attempt("payments.confirm", args)),
      over: call(() => until((now) => !hasQuestion(now))),
    });
    if (answer === undefined) continue;
    if (answer.ok || answer.error.code === "nothing_to_confirm") yield* put(purchaseActions.confirmed({ key }));
    else yield* put(failed(key, answer.error));
    yield* call(untilAnswered);
  }
}

function failed(key: string, { code, retryable, status, message }: PortError) {
  if (code === "wrong_user") return purchaseActions.abandoned({ key });
  if (retryable || status === undefined)
    return purchaseActions.interrupted({ key, message, ...(status === undefined ? {} : { status }) });
  return purchaseActions.confirmationRefused({ key, message });
}
