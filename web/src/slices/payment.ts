import { createSelector, type PayloadAction } from "@reduxjs/toolkit";
import type { Purchase, PurchaseFacts } from "../machines/purchase";
import { authActions } from "./auth";
import { checkoutActions } from "./checkout";
import { connectionInputs } from "./connection";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";
import { type PurchasePopup, popupOf, purchaseActions, selectPurchase } from "./purchase";
import { purchaseOf } from "./purchaseResults";

type Rejected = Extract<Purchase, { at: "rejected" }>;

/** The last press of *Pay* on this page. Other pages have their own, so none changes what this one shows (PAY-18). */
export interface PaymentState {
  /** The request to the leader. A page that closes before has bought nothing. */
  readonly started: PurchaseFacts["submitted"] | null;
  /** Key of another page's purchase of the same item. */
  readonly followedKey: string | null;
  /** The refusal of a press that never became a request. */
  readonly refused: Rejected | null;
  /** The viewer has closed the result's dialog. */
  readonly isPopupClosed: boolean;
}

const NONE: PaymentState = { started: null, followedKey: null, refused: null, isPopupClosed: false };

export const payment = createSlice({
  name: "payment",
  initialState: NONE as PaymentState,
  reducers: {
    /** Put by the saga right before the leader is asked. */
    started: (_, { payload }: PayloadAction<PurchaseFacts["submitted"]>): PaymentState => ({
      ...NONE,
      started: payload,
    }),
    followed: (_, { payload: { key } }: PayloadAction<{ key: string }>): PaymentState => ({
      ...NONE,
      followedKey: key,
    }),
    /** A buy page was opened, or a page with a paid result left. */
    closed: (): PaymentState => NONE,
    popupClosed: (state): PaymentState => {
      const now = state as PaymentState;
      if (now.refused !== null) return now.refused.request === undefined ? now : NONE;
      return { ...now, isPopupClosed: true };
    },
  },
  extraReducers: (builder) =>
    builder
      .addCase(checkoutActions.payingBegan, (): PaymentState => NONE)
      .addCase(purchaseActions.refused, (state, { payload: { key, code, message, request } }): PaymentState => {
        if (key !== null) return state as PaymentState;
        return { ...NONE, refused: { at: "rejected", code, message, ...(request === undefined ? {} : { request }) } };
      })
      .addCase(purchaseActions.resultShown, (state, { payload: { order_id } }): PaymentState => {
        const now = state as PaymentState;
        if (order_id !== null || now.refused?.request === undefined) return now;
        return { ...now, refused: { ...now.refused, shown: true } };
      })
      // The reason for the refusal is gone.
      .addCase(connectionInputs.cameOnline, (state): PaymentState => {
        const now = state as PaymentState;
        return now.refused?.code === "offline" ? NONE : now;
      })
      .addCase(authActions.loggedOut, (): PaymentState => NONE)
      .addCase(authActions.reset, (): PaymentState => NONE),
});

export const paymentActions = payment.actions;

const PREPARING: Purchase = { at: "preparing" };

function closed(state: Purchase): Purchase {
  if (state.at === "failed") return { ...state, popup: false };
  return popupOf(state) === null ? state : PREPARING;
}

export const selectStartedKey = ({ payment: { started } }: RootState): string | null => started?.key ?? null;

function purchaseOfPress(state: RootState): Purchase | null {
  const { started, followedKey } = state.payment;
  const key = started?.key ?? followedKey;
  return key === null ? null : purchaseOf(state, key);
}

/** The purchase of this page's last press; null if there is none. */
const selectLastPress = createSelector(
  ({ payment: { refused } }: RootState) => refused,
  ({ payment: { isPopupClosed } }: RootState) => isPopupClosed,
  purchaseOfPress,
  (refused, isPopupClosed, state): Purchase | null => {
    if (refused !== null) return refused;
    if (state === null || state.at === "preparing") return null;
    return isPopupClosed ? closed(state) : state;
  },
);

/**
 * The purchase that this page shows: its own, otherwise the browser's current or last one, which another page started.
 * The reason why another page was refused is shown there alone.
 */
export function selectPayment(state: RootState): Purchase {
  const pressed = selectLastPress(state);
  if (pressed !== null) return pressed;
  const others = selectPurchase(state);
  return others.at === "rejected" ? PREPARING : others;
}

/** Whether the purchase that this page shows was started here, and not in another tab. */
export function selectStartedHere(state: RootState): boolean {
  const key = selectStartedKey(state);
  return key !== null && selectLastPress(state) !== null && state.purchaseResults[key]?.at !== "joined";
}

/** In progress on this page: its button waits. */
export const selectPaymentBusy = (state: RootState): boolean => {
  const { at } = selectPayment(state);
  return state.checkout.paying !== null || at === "submitting" || at === "confirming" || at === "processing";
};

export const selectPaymentPopup = (state: RootState): PurchasePopup | null => popupOf(selectPayment(state));
