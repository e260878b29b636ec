import { err, ok, type Result } from "../lib/result";
import type { PurchaseChoice, PurchaseRequest } from "./purchase";

/** The facts for checking a choice when its button is pressed. */
export interface ChoiceFacts {
  readonly loggedIn: boolean;
  readonly online: boolean;
  /** A paid event: the offer must be named. */
  readonly paidEvent: boolean;
  readonly teamPass: boolean;
  readonly alreadyBought: boolean;
  readonly trialUsed: boolean;
}

/** The reason to refuse a purchase (PAY-1, PAY-7, PAY-8, VAL-4, SUB-4), with the text to display. */
export interface ChoiceRefusal {
  readonly code: RefusalCode;
  readonly message: string;
}

export type RefusalCode =
  | "id_not_selected"
  | "single_event_package_not_selected"
  | "team_not_selected"
  | "login_required"
  | "already_bought"
  | "trial_used"
  | "card_not_selected"
  | "offline";

/** The card never reached the provider. Only for this interruption is it certain that nothing was paid. */
export const INTERRUPTED = {
  code: "cut_off",
  message: "The purchase was interrupted before you entered a card.",
} as const;

/** Another purchase of the browser was in progress, so this press bought nothing (PAY-18). */
export const ANOTHER_IN_PROGRESS = {
  code: "another_in_progress",
  message: "Nothing was paid. Press Pay again.",
} as const;

const CARD_NOT_SELECTED = "Please select one of your saved cards or enter new one.";

const no = (code: RefusalCode, message: string): Result<never, ChoiceRefusal> => err({ code, message });

/** Returns the request for a choice, or the refusal. Reasons that the viewer can fix at once come first. */
export function checkChoice(choice: PurchaseChoice, facts: ChoiceFacts): Result<PurchaseRequest, ChoiceRefusal> {
  const { kind, id, single_event_package_id, participant_id, payment_method_id, card_handle, promo_code } = choice;
  const { save_card, shown } = choice;
  if (id === null) return no("id_not_selected", "id not selected");
  if (kind === "event" && facts.paidEvent && single_event_package_id === undefined)
    return no("single_event_package_not_selected", "Single event package id not selected");
  if (kind === "package" && facts.teamPass && participant_id === undefined)
    return no("team_not_selected", "Package is TeamPass but team not selected");
  if (!facts.loggedIn) return no("login_required", "user must be logged in");
  if (facts.alreadyBought)
    return no("already_bought", `You already bought this ${kind === "trial" ? "subscription" : kind}.`);
  if (kind === "trial" && facts.trialUsed) return no("trial_used", "You have already used your free trial.");
  if (payment_method_id === undefined && card_handle === undefined) return no("card_not_selected", CARD_NOT_SELECTED);
  if (!facts.online) return no("offline", "You’re offline. You need a connection to buy. You haven’t been charged.");
  return ok({
    kind,
    id,
    ...(single_event_package_id === undefined ? {} : { single_event_package_id }),
    ...(participant_id === undefined ? {} : { participant_id }),
    payment_method_id: payment_method_id ?? null,
    ...(save_card === undefined ? {} : { save_card }),
    ...(promo_code === undefined || promo_code === "" ? {} : { promo_code }),
    ...(shown === undefined ? {} : { shown }),
  });
}
