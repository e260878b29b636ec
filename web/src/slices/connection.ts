import { createAction, type Reducer } from "@reduxjs/toolkit";
import type { ResourceStatus } from "../contracts/sync";
import { type Connection, connection as machine } from "../machines/connection";
import type { RootState } from "./index";
import { machineSlice } from "./machineSlice";

const slice = machineSlice(machine);

/** The socket's frame `status`: a resource's whole new state. Origin `sync`. */
const statusReceived = createAction<ResourceStatus & { seq: number }>("connection/statusReceived");
/** The resources of a welcome that couldn't resume; put by the saga. */
const snapshotReceived = createAction<{ statuses: ResourceStatus[] }>("connection/snapshotReceived");

export const connectionActions = slice.actions;

/**
 * External inputs: the socket's frames (origin `sync`), the browser's events about the page (origin `ui`), and the loss
 * and return of the network (`session/reachability.ts`, origin `api`). The app dispatches these, and no screen does.
 */
export const connectionInputs = {
  statusReceived,
  pinged: slice.actions.pinged,
  drainAsked: slice.actions.drainAsked,
  closed: slice.actions.closed,
  wentOffline: slice.actions.wentOffline,
  cameOnline: slice.actions.cameOnline,
  cameBack: slice.actions.cameBack,
} as const;

export const connectionSnapshotReceived = snapshotReceived;

const reducer: Reducer<Connection> = (state, action) =>
  statusReceived.match(action)
    ? slice.reducer(state, slice.actions.advanced({ stream: action.payload.stream, seq: action.payload.seq }))
    : slice.reducer(state, action);

export const connection = { ...slice, reducer };

export const selectConnection = (state: RootState): Connection => state.connection;
/** While the stream is live, only pending answers are checked. */
export const selectLive = ({ connection: { at } }: RootState): boolean => at === "live";
