import { createAction } from "@reduxjs/toolkit";
import type { Id } from "../contracts/resources";
import type { Handle } from "../ports/calls";

/** A subscription is to renew with another card: a stored one, or one that the account port holds. */
export const renewalCardChosen = createAction<{
  subscription_id: Id;
  payment_method_id: string | null;
  handle: Handle | null;
}>("account/renewalCardChosen");
/** The viewer is about to answer the bank's question about a renewal. */
export const renewalConfirmPressed = createAction<{ order_id: Id }>("account/renewalConfirmPressed");
/** What is to become of a card: kept as it was entered, offered first from now on, or taken off. */
export const cardPressed = createAction<{
  act: "add" | "default" | "remove";
  payment_method_id: string | null;
  handle: Handle | null;
}>("account/cardPressed");
/** The viewer wants to manage cards and invoices at the payment provider. */
export const customerPortalPressed = createAction("account/customerPortalPressed");
/** The viewer wants to log in through another site: `google` or `facebook`. */
export const socialLoginPressed = createAction<{ provider: string }>("account/socialLoginPressed");
/** The viewer wants the file of an event. */
export const eventDownloadPressed = createAction<{ id: Id }>("account/eventDownloadPressed");
