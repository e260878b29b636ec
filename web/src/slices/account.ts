import { createAction } from "@reduxjs/toolkit";
import type { Id } from "../contracts/resources";
import type { Handle } from "../ports/calls";

/** Renews a subscription with another card: a saved one, or one that the account port holds. */
export const renewalCardChosen = createAction<{
  subscription_id: Id;
  payment_method_id: string | null;
  handle: Handle | null;
}>("account/renewalCardChosen");
/** The viewer is about to answer the bank's question about a renewal. */
export const renewalConfirmPressed = createAction<{ order_id: Id }>("account/renewalConfirmPressed");
/** Saves an entered card, makes a card the default, or removes it. */
export const cardPressed = createAction<{
  act: "add" | "default" | "remove";
  payment_method_id: string | null;
  handle: Handle | null;
}>("account/cardPressed");
/** Opens the payment provider's portal for cards and invoices. */
export const customerPortalPressed = createAction("account/customerPortalPressed");
/** Logs in with a provider: `google` or `facebook`. */
export const socialLoginPressed = createAction<{ provider: string }>("account/socialLoginPressed");
export const eventDownloadPressed = createAction<{ id: Id }>("account/eventDownloadPressed");
