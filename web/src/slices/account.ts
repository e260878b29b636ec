import { createAction } from "@reduxjs/toolkit";
import type { Id } from "../contracts/resources";

/** The viewer wants to manage cards and invoices at the payment provider. */
export const customerPortalPressed = createAction("account/customerPortalPressed");
/** The viewer wants to log in through another site: `google` or `facebook`. */
export const socialLoginPressed = createAction<{ provider: string }>("account/socialLoginPressed");
/** The viewer wants the file of an event. */
export const eventDownloadPressed = createAction<{ id: Id }>("account/eventDownloadPressed");
