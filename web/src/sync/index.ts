export { createSyncClient, type Socket, type SyncClient, type SyncInputs, type SyncParts } from "./client";
