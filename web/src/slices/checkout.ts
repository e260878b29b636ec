import { createSlice, type PayloadAction } from "@reduxjs/toolkit";
import type { Card, Coupon, Id, OrderType } from "../contracts/resources";
import { authActions } from "./auth";
import type { RootState } from "./index";
import { purchaseActions } from "./purchase";
import { queryActions } from "./queries";

/** PAY-6. What a promo code was asked for, and what it gives. */
export type CouponState =
  | { readonly at: "none" }
  | { readonly at: "checking"; readonly code: string }
  | { readonly at: "applied"; readonly type: OrderType; readonly id: Id; readonly coupon: Coupon }
  | { readonly at: "refused"; readonly code: string; readonly message: string };

export interface CheckoutState {
  readonly coupon: CouponState;
  /** null: not read yet. */
  readonly cards: readonly Card[] | null;
}

const initialState: CheckoutState = { coupon: { at: "none" }, cards: null };

export const checkout = createSlice({
  name: "checkout",
  initialState: initialState as CheckoutState,
  reducers: {
    /** The viewer entered a code. */
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
  },
  extraReducers: (builder) =>
    builder
      .addCase(purchaseActions.opened, (state) => ({ ...state, coupon: { at: "none" } }) as CheckoutState)
      .addCase(authActions.loggedOut, () => initialState)
      .addCase(authActions.reset, () => initialState)
      .addCase(queryActions.loaded, (state, { payload }) =>
        payload.method === "api.listCards" ? { ...state, cards: payload.answer } : state,
      ),
});

export const checkoutActions = checkout.actions;

export const selectCoupon = ({ checkout: { coupon } }: RootState): CouponState => coupon;
export const selectCards = ({ checkout: { cards } }: RootState): readonly Card[] | null => cards;
