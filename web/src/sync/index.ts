/** The status socket's client. */
export { createSyncClient, type Socket, type SyncClient, type SyncInputs, type SyncParts } from "./client";
