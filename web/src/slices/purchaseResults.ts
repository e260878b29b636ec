import type { Reducer } from "@reduxjs/toolkit";
import type { Id } from "../contracts/resources";
import { isInProgress, isOfSame, type Purchase, type PurchaseFacts } from "../machines/purchase";
import { ANOTHER_IN_PROGRESS } from "../machines/purchaseChoice";
import { authActions } from "./auth";
import type { RootState } from "./index";
import { purchase, purchaseActions } from "./purchase";

/**
 * The end of a submitted purchase. `joined`: the same item was being bought under another key, whose result counts.
 */
export type PurchaseResult = Purchase | { readonly at: "joined"; readonly key: string };

/** Results by key, so that each page finds the result of its own press, whatever other pages do. */
export type PurchaseResults = { readonly [key: string]: PurchaseResult };

/** Number of stored results, newest last. */
const MAX_RESULTS = 8;
const NONE: PurchaseResults = {};

const markDisplayed =
  (action: ReturnType<typeof purchaseActions.resultShown>) =>
  ([key, result]: readonly [string, PurchaseResult]): readonly [string, PurchaseResult] =>
    result.at === "succeeded" || result.at === "failed" ? [key, purchase.reducer(result, action)] : [key, result];

const reducer: Reducer<PurchaseResults> = (state = NONE, action) => {
  if (authActions.loggedOut.match(action) || authActions.reset.match(action)) return NONE;
  if (!purchaseActions.resultShown.match(action)) return state;
  return Object.fromEntries(Object.entries(state).map(markDisplayed(action)));
};

export const purchaseResults = { name: "purchaseResults", reducer };

/** The answer to a press that started no purchase: one at a time, and nothing twice (PAY-9, PAY-18). */
function answerTo(
  { request }: PurchaseFacts["submitted"],
  current: Purchase,
  results: PurchaseResults,
): PurchaseResult {
  if (!("request" in current) || current.request === undefined || !isOfSame(current.request, request))
    return { at: "rejected", ...ANOTHER_IN_PROGRESS, request };
  if (isInProgress(current)) return { at: "joined", key: current.key };
  const [paid] =
    Object.entries(results).find(([, result]) => "orderId" in result && result.orderId === orderOf(current)) ?? [];
  return paid === undefined ? current : { at: "joined", key: paid };
}

const orderOf = (state: Purchase): Id | null => ("orderId" in state ? state.orderId : null);

const keyOf = (state: Purchase): string | null => (isInProgress(state) ? state.key : null);

/** Stores the result of a purchase that an action ended or did not start. */
export function withResult(
  before: RootState,
  after: RootState,
  action: { readonly type: string; readonly payload?: unknown },
): RootState {
  const key = keyOf(before.purchase);
  const current = keyOf(after.purchase);
  if (key !== null && key !== current) return put(after, key, after.purchase);
  if (!purchaseActions.submitted.match(action)) return after;
  const { payload } = action;
  if (payload.key === current || payload.key in after.purchaseResults) return after;
  return put(after, payload.key, answerTo(payload, after.purchase, after.purchaseResults));
}

function put(state: RootState, key: string, result: PurchaseResult): RootState {
  const { [key]: _, ...others } = state.purchaseResults;
  const stored = [...Object.entries(others), [key, result] as const].slice(-MAX_RESULTS);
  return { ...state, purchaseResults: Object.fromEntries(stored) };
}

/** The state of the purchase with this key; null if the leader has not answered it, or its result is too old. */
export function purchaseOf({ purchase: current, purchaseResults: results }: RootState, key: string): Purchase | null {
  if (keyOf(current) === key) return current;
  const result = results[key];
  if (result === undefined) return null;
  if (result.at !== "joined") return result;
  if (keyOf(current) === result.key) return current;
  const other = results[result.key];
  return other === undefined || other.at === "joined" ? null : other;
}
