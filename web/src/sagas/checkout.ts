import { call, put, race, type SagaGenerator, take, takeLatest } from "typed-redux-saga";
import { checkoutActions } from "../slices/checkout";
import { attempt } from "./attempt";

/** PAY-6: looks up a promo code's discount; another code or page cancels the lookup. */
export function* checkoutSaga(): SagaGenerator<void> {
  yield* takeLatest(checkoutActions.couponEntered, function* ({ payload: { type, id, code } }) {
    const { answer } = yield* race({
      answer: call(() => attempt("api.applyCoupon", { type, id, code })),
      moot: take([checkoutActions.couponRemoved, checkoutActions.pageOpened]),
    });
    if (answer === undefined) return;
    if (answer.ok) yield* put(checkoutActions.couponApplied({ type, id, coupon: answer.value }));
    else yield* put(checkoutActions.couponRefused({ code, message: answer.error.message }));
  });
}
