import type { Reducer } from "@reduxjs/toolkit";
import type { Calls } from "../ports/ask";
import type { RootState } from "./index";
import { type Query, queryActions, queryKey } from "./queries";

/** Reads whose answers a page asks for each time that it is opened: they are not stored. */
type TransientRead = "api.listEventStarts" | "api.listPackageContents" | "api.search";
const READS = /\.search$|Starts$|Contents$/;
/** The most answers that are kept, the latest questions. */
const KEPT = 20;

/** Answers by their query's key, so that the answer to other words never stands in the place of this one's. */
export type TransientState = { readonly [key: string]: unknown };

const NONE: TransientState = {};

const reducer: Reducer<TransientState> = (state = NONE, action) => {
  if (!queryActions.loaded.match(action) || !READS.test(action.payload.method)) return state;
  const answered = { ...state, [queryKey(action.payload as Query)]: action.payload.answer };
  return Object.fromEntries(Object.entries(answered).slice(-KEPT));
};

export const transient = { name: "transient", reducer };

/** The answer of a read; null: not read yet. */
export const selectAnswer =
  <M extends TransientRead>(method: M, args: Calls[M]["args"]) =>
  ({ transient: state }: RootState): Calls[M]["answer"] | null =>
    // What stands under the key of a method is its answer.
    (state[queryKey({ method, args } as Query)] as Calls[M]["answer"] | undefined) ?? null;
