import { call, put, race, type SagaGenerator, select, takeLeading } from "typed-redux-saga";
import type { PurchaseChoice, PurchaseFacts, PurchaseRequest } from "../machines/purchase";
import { checkChoice, INTERRUPTED } from "../machines/purchaseChoice";
import { newId, type PortError } from "../ports/world";
import { selectUserId } from "../slices/auth";
import { checkoutActions, selectPaying } from "../slices/checkout";
import type { RootState } from "../slices/index";
import { purchaseActions, selectPurchase } from "../slices/purchase";
import { selectTab, selectVisible } from "../slices/tabs";
import { attempt } from "./attempt";
import { choiceFacts } from "./purchaseFacts";
import { until, untilAnswered } from "./stream";

/** PAY-1: the steps that need the page whose button was pressed. It ends before the leader receives the purchase. */
export function* paySaga(): SagaGenerator<void> {
  const interrupted = yield* select(selectPaying);
  if (interrupted !== null) {
    if (interrupted.submitted !== null) yield* resubmit(interrupted.submitted);
    yield* put(checkoutActions.payingEnded());
    // The form's card was lost with the previous page.
    if (interrupted.submitted === null) yield* refuse(INTERRUPTED, interrupted.request);
  }
  yield* takeLeading(purchaseActions.submitPressed, function* ({ payload: { choice } }) {
    yield* call(pay, choice);
  });
}

/** The previous page's leader may be gone: under its key the purchase happens once. */
function* resubmit(submitted: PurchaseFacts["submitted"]): SagaGenerator<void> {
  // Waits until the page knows whether it leads.
  yield* call(until, (state: RootState) => selectTab(state).id !== "");
  if ("key" in (yield* select(selectPurchase))) return;
  yield* put(purchaseActions.submitted(submitted));
  yield* call(untilAnswered);
}

function* pay(choice: PurchaseChoice): SagaGenerator<void> {
  // One purchase at a time.
  if ("key" in (yield* select(selectPurchase))) return;
  const checked = checkChoice(choice, yield* select(choiceFacts(choice)));
  if (!checked.ok) return yield* refuse(checked.error);
  const user_id = yield* select(selectUserId);
  const buyer = user_id === null ? {} : { user_id };
  const key = yield* newId("purchase");
  yield* put(checkoutActions.payingBegan({ request: checked.value }));
  const request = yield* withCard(checked.value, choice.card_handle ?? "", buyer);
  if (request !== null) {
    yield* put(purchaseActions.submitted({ key, ...buyer, request }));
    yield* call(untilAnswered);
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
