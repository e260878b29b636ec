export { createSyncClient, type Socket, type SyncClient, type SyncDeps, type SyncInputs } from "./client";
