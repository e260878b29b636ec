import type { Reducer } from "@reduxjs/toolkit";
import type { Calls } from "../ports/world";
import type { RootState } from "./index";
import { type Query, queryActions, queryKey } from "./queries";

/** Reads that a page repeats on each visit, so they aren't stored. */
type TransientRead = "api.listEventStarts" | "api.listPackageContents" | "api.search";
const READS = /\.search$|Starts$|Contents$/;
/** Limit of stored answers, latest first. */
const MAX_ANSWERS = 20;

/** Answers by query key, so that an answer never appears under another query. */
export type TransientState = { readonly [key: string]: unknown };

const NONE: TransientState = {};

const reducer: Reducer<TransientState> = (state = NONE, action) => {
  if (!queryActions.loaded.match(action) || !READS.test(action.payload.method)) return state;
  const answered = { ...state, [queryKey(action.payload as Query)]: action.payload.answer };
  return Object.fromEntries(Object.entries(answered).slice(-MAX_ANSWERS));
};

export const transient = { name: "transient", reducer };

/** A read's answer; null: not read yet. */
export const selectAnswer =
  <M extends TransientRead>(method: M, args: Calls[M]["args"]) =>
  ({ transient: state }: RootState): Calls[M]["answer"] | null =>
    // The value under a method's key is its answer.
    (state[queryKey({ method, args } as Query)] as Calls[M]["answer"] | undefined) ?? null;
