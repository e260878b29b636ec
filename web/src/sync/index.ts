export { createSyncClient, type Socket, type SyncClient, type SyncInputs } from "./client";
