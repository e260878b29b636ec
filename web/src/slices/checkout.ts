import { type PayloadAction } from "@reduxjs/toolkit";
import type { Card, Coupon, Id, OrderType } from "../contracts/resources";
import type { PurchaseRequest } from "../machines/purchase";
import { authActions } from "./auth";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";
import { purchaseActions } from "./purchase";
import { queryActions } from "./queries";

/** PAY-6. The promo code's target and its discount. */
export type CouponState =
  | { readonly at: "none" }
  | { readonly at: "checking"; readonly code: string }
  | { readonly at: "applied"; readonly type: OrderType; readonly id: Id; readonly coupon: Coupon }
  | { readonly at: "refused"; readonly code: string; readonly message: string };

export interface CheckoutState {
  readonly coupon: CouponState;
  /** null: not read yet. */
  readonly cards: readonly Card[] | null;
  /** The pressed purchase, until the leader has answered it. */
  readonly paying: Paying | null;
}

export interface Paying {
  readonly request: PurchaseRequest;
}

const initialState: CheckoutState = { coupon: { at: "none" }, cards: null, paying: null };

export const checkout = createSlice({
  name: "checkout",
  initialState: initialState as CheckoutState,
  reducers: {
    couponEntered: (
      state,
      { payload: { code } }: PayloadAction<{ type: OrderType; id: Id; code: string }>,
    ): CheckoutState => ({ ...state, coupon: { at: "checking", code } }),
    couponApplied: (state, { payload }: PayloadAction<{ type: OrderType; id: Id; coupon: Coupon }>): CheckoutState => ({
      ...state,
      coupon: { at: "applied", ...payload },
    }),
    couponRefused: (state, { payload }: PayloadAction<{ code: string; message: string }>): CheckoutState => ({
      ...state,
      coupon: { at: "refused", ...payload },
    }),
    couponRemoved: (state): CheckoutState => ({ ...state, coupon: { at: "none" } }),
    /** A buy page was opened. */
    pageOpened: (state): CheckoutState => ({ ...state, coupon: { at: "none" } }),
    /** Put by the saga: the choice is checked, and its card becomes a payment method. */
    payingBegan: (state, { payload: { request } }: PayloadAction<{ request: PurchaseRequest }>): CheckoutState => ({
      ...state,
      paying: { request },
    }),
    payingEnded: (state): CheckoutState => ({ ...state, paying: null }),
  },
  extraReducers: (builder) =>
    builder
      // The worker's refusal is newer than the earlier answer about the code.
      .addCase(purchaseActions.refused, (state, { payload: { code, message, price } }): CheckoutState => {
        const { coupon } = state as CheckoutState;
        if (coupon.at !== "applied") return state as CheckoutState;
        if (code === "wrong_promo_code")
          return { ...(state as CheckoutState), coupon: { at: "refused", code: coupon.coupon.code, message } };
        if (price?.promo_code === undefined) return state as CheckoutState;
        const { promo_code, base_price, discount, service_fee, total, currency } = price;
        const now = { code: promo_code, base_price, discount, service_fee, total, currency };
        return { ...(state as CheckoutState), coupon: { ...coupon, coupon: now } };
      })
      .addCase(authActions.loggedOut, () => initialState)
      .addCase(authActions.reset, () => initialState)
      .addCase(queryActions.loaded, (state, { payload }) =>
        payload.method === "api.listCards" ? { ...state, cards: payload.answer } : state,
      ),
});

export const checkoutActions = checkout.actions;

export const selectCoupon = ({ checkout: { coupon } }: RootState): CouponState => coupon;
export const selectPaying = ({ checkout: { paying } }: RootState): Paying | null => paying;
export const selectCards = ({ checkout: { cards } }: RootState): readonly Card[] | null => cards;
