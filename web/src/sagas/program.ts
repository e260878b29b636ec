import { UNKNOWN_BUYER } from "../machines/purchase";
import { methods } from "../ports/ask";
import { rootReducer } from "../slices/index";
import { ANY_PURCHASE, purchaseActions } from "../slices/purchase";
import { queryActions } from "../slices/queries";
import { factsHeard } from "../slices/tabs";
import { rootSaga } from "./root";

/** The first facts of a purchase did not say of which: they are of the one that is under way. */
const ofAny = (payload: unknown): object => ({ ...(payload as object | undefined), key: ANY_PURCHASE });

/** Nor did the first one say whose it is. */
const ofAnybody = (payload: unknown): object => ({ ...(payload as object), user_id: UNKNOWN_BUYER });

/** A read did not say when it was asked for: no later than it was answered. */
const askedAsAnswered = (payload: unknown): object => {
  const answer = payload as { readonly at: number };
  return { ...answer, asked_at: answer.at };
};

/** The address of a file was in the log; a handle of it, which names nothing after its page, takes its place. */
const behindHandle = (): object => ({ handle: "" });

/** For each action type or port method whose shape has changed: the steps from version 1 to 2, 2 to 3, and so on. */
const upcasters: Readonly<Record<string, readonly ((payload: unknown) => unknown)[]>> = {
  [purchaseActions.submitted.type]: [ofAnybody],
  [purchaseActions.refused.type]: [ofAny],
  [purchaseActions.cardHeld.type]: [ofAny],
  [purchaseActions.accepted.type]: [ofAny],
  [purchaseActions.confirmationAsked.type]: [ofAny],
  [purchaseActions.confirmed.type]: [ofAny],
  [purchaseActions.confirmationRefused.type]: [ofAny],
  [purchaseActions.pollScheduled.type]: [ofAny],
  [purchaseActions.pollRested.type]: [ofAny],
  [purchaseActions.orderSeen.type]: [ofAny],
  [purchaseActions.interrupted.type]: [ofAny],
  [purchaseActions.resumed.type]: [ofAny],
  [purchaseActions.adopted.type]: [ofAny],
  [purchaseActions.abandoned.type]: [ofAny],
  [queryActions.loaded.type]: [askedAsAnswered],
  "api.downloadEvent": [behindHandle],
  "api.downloadClip": [behindHandle],
};

/**
 * The product as its event log knows it: what a page records and what replays it. `replay/frozen.test.ts` fails where an
 * action's fields changed without a step in `upcasters`.
 */
export const program = {
  reducer: rootReducer,
  rootSaga,
  methods,
  upcasters,
  carriers: { [factsHeard.type]: "facts" },
};
