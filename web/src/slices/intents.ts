import type { UnknownAction } from "@reduxjs/toolkit";
import { analyticsActions } from "./analytics";
import { authActions } from "./auth";
import { autoRenewActions } from "./autoRenew";
import { clipActions } from "./clip";
import { clipsActions } from "./clips";
import { analyticsOutboxActions, outboxActions } from "./outbox";
import { positionsActions } from "./positions";
import { preferencesActions } from "./preferences";
import { prerollRecordActions } from "./preroll";
import { purchaseActions } from "./purchase";
import { type QueryAnswer, queryActions, type ReadMethod } from "./queries";
import { userActions } from "./user";

/** Reads whose answers belong to the viewer. */
const VIEWER_READS: ReadonlySet<ReadMethod> = new Set<ReadMethod>([
  "api.getUserAccess",
  "api.listFavourites",
  "api.listPlayback",
  "api.listOrders",
  "api.getOrder",
  "api.listUserClips",
  "api.listEventClips",
  "api.listVodClips",
  "api.getSharedClip",
]);

/** Absolute and idempotent, so a follower applies them at once. */
const REPEATABLE: ReadonlySet<string> = new Set([
  analyticsActions.consentGiven.type,
  analyticsActions.consentRefused.type,
  analyticsActions.deviceKnown.type,
  outboxActions.itemQueued.type,
  preferencesActions.kept.type,
  preferencesActions.trkHeld.type,
  prerollRecordActions.recorded.type,
  positionsActions.noted.type,
]);

/** Decided by a process of the leader, or by its order. */
const DECIDED: ReadonlySet<string> = new Set([
  analyticsOutboxActions.nudged.type,
  authActions.logoutPressed.type,
  authActions.profileChanged.type,
  authActions.profileWanted.type,
  authActions.reset.type,
  authActions.succeeded.type,
  autoRenewActions.cancelPressed.type,
  autoRenewActions.keepPressed.type,
  clipActions.dismissed.type,
  clipActions.rejected.type,
  clipActions.submitted.type,
  clipsActions.deletePressed.type,
  outboxActions.itemAnswered.type,
  outboxActions.nudged.type,
  purchaseActions.abandoned.type,
  purchaseActions.confirmationRefused.type,
  purchaseActions.confirmed.type,
  purchaseActions.interrupted.type,
  purchaseActions.opened.type,
  purchaseActions.popupClosed.type,
  purchaseActions.resultShown.type,
  purchaseActions.retryPressed.type,
  purchaseActions.submitted.type,
  userActions.downloaded.type,
]);

export const isViewerMethod = (method: ReadMethod): boolean => VIEWER_READS.has(method);

const isViewerRead = (action: UnknownAction): boolean =>
  queryActions.loaded.match(action) && isViewerMethod((action.payload as QueryAnswer).method);

/** Whether a follower applies the action before the leader has folded it. */
export const isRepeatable = (action: UnknownAction): boolean => REPEATABLE.has(action.type) || isViewerRead(action);

/** A result without an order is only shown by the page that was refused. */
const isOfPageAlone = (action: UnknownAction): boolean =>
  purchaseActions.resultShown.match(action) && action.payload.order_id === null;

/** Whether a follower posts the action to the leader. */
export const isIntent = (action: UnknownAction): boolean =>
  (DECIDED.has(action.type) && !isOfPageAlone(action)) || isRepeatable(action);
