import { original, type PayloadAction } from "@reduxjs/toolkit";
import type { Clip, Id } from "../contracts/resources";
import { authActions } from "./auth";
import { connectionInputs, connectionSnapshotReceived } from "./connection";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";
import { outboxActions } from "./outbox";
import { queryActions } from "./queries";
import { selectGeoBlocked } from "./user";

/** Clips read so far by id, and which of them are the viewer's. */
export interface ClipsState {
  readonly byId: { readonly [id: Id]: Clip };
  readonly mine: readonly Id[];
  /** Clips being deleted, and the failures. */
  readonly deleting: { readonly [id: Id]: "asked" | "refused" };
}

const initialState: ClipsState = { byId: {}, mine: [], deleting: {} };

function sourceOf(clip: Clip | undefined): Pick<Clip, "event" | "video"> {
  return { ...(clip?.event && { event: clip.event }), ...(clip?.video && { video: clip.video }) };
}

function merge(state: ClipsState, clips: readonly Clip[]): ClipsState {
  const byId: { [id: Id]: Clip } = { ...state.byId };
  for (const clip of clips) {
    const now = byId[clip.id];
    // A push names neither the event nor the video.
    if (now === undefined || clip.version >= now.version) byId[clip.id] = { ...sourceOf(now), ...clip };
  }
  return { ...state, byId };
}

function without(state: ClipsState, id: Id): ClipsState {
  const { [id]: _, ...byId } = state.byId;
  const { [id]: __, ...deleting } = state.deleting;
  return { byId, deleting, mine: state.mine.filter((mine) => mine !== id) };
}

/** Removes clips that their source no longer lists. It lists those that are ready and public. */
function listed(state: ClipsState, isOfSource: (clip: Clip) => boolean, clips: readonly Clip[]): ClipsState {
  const listedIds = new Set(clips.map(({ id }) => id));
  const isUnlisted = ({ id, status, visibility }: Clip) =>
    status !== "ready" || visibility === "link" || state.mine.includes(id);
  const stays = ([, clip]: [string, Clip]) => !isOfSource(clip) || listedIds.has(clip.id) || isUnlisted(clip);
  return merge({ ...state, byId: Object.fromEntries(Object.entries(state.byId).filter(stays)) }, clips);
}

const withViewerClips = (state: ClipsState, clips: readonly Clip[]): ClipsState => ({
  ...merge(state, clips),
  mine: [...new Set([...clips.map(({ id }) => id), ...state.mine])],
});

export const clips = createSlice({
  name: "clips",
  initialState: initialState as ClipsState,
  reducers: {
    deletePressed: (state, { payload: { id } }: PayloadAction<{ id: Id }>): ClipsState => ({
      ...state,
      deleting: { ...state.deleting, [id]: "asked" },
    }),
    deleted: (state, { payload: { id } }: PayloadAction<{ id: Id }>) => without(state, id),
    deleteRefused: (state, { payload: { id } }: PayloadAction<{ id: Id }>): ClipsState => ({
      ...state,
      deleting: { ...state.deleting, [id]: "refused" },
    }),
    downloadPressed: (state, _: PayloadAction<{ id: Id }>) => state,
  },
  extraReducers: (builder) =>
    builder
      .addCase(authActions.loggedOut, () => initialState)
      .addCase(authActions.reset, () => initialState)
      .addCase(queryActions.loaded, (state, { payload }): ClipsState => {
        const now = original(state) as ClipsState;
        switch (payload.method) {
          case "api.listUserClips":
            return { ...merge(now, payload.answer), mine: payload.answer.map(({ id }) => id) };
          case "api.listEventClips":
            return listed(now, ({ event_id }) => event_id === payload.args.event_id, payload.answer);
          case "api.listVodClips":
            return listed(now, ({ vod_id }) => vod_id === payload.args.vod_id, payload.answer);
          case "api.getSharedClip":
            return merge(now, [payload.answer]);
          default:
            return now;
        }
      })
      .addCase(outboxActions.itemAnswered, (state, { payload: { kind, outcome } }) =>
        kind === "clip.create" && outcome.outcome === "done"
          ? withViewerClips(state, [outcome.answer as unknown as Clip])
          : state,
      )
      .addCase(connectionSnapshotReceived, (state, { payload: { statuses } }) =>
        withViewerClips(
          state,
          statuses.flatMap((status) => (status.kind === "clip" ? [status.state] : [])),
        ),
      )
      .addCase(connectionInputs.statusReceived, (state, { payload }) =>
        payload.kind === "clip" ? withViewerClips(state, [payload.state]) : state,
      ),
});

export const clipsActions = clips.actions;

export const selectClip =
  (id: Id) =>
  ({ clips: { byId } }: RootState): Clip | null =>
    byId[id] ?? null;
/** Whether the source video is blocked in the viewer's region (GEO-1). */
export const selectClipBlocked =
  (clip: Clip | null) =>
  (state: RootState): boolean =>
    selectGeoBlocked(state) || (clip?.event?.is_geo_blocked ?? clip?.video?.is_geo_blocked ?? false);
export const selectClipsById = ({ clips: { byId } }: RootState) => byId;
export const selectMyClipIds = ({ clips: { mine } }: RootState): readonly Id[] => mine;
export const selectClipDeleting =
  (id: Id) =>
  ({ clips: { deleting } }: RootState) =>
    deleting[id] ?? null;
/** Clips whose deletion is unconfirmed. */
export const selectClipsBeingDeleted = ({ clips: { deleting } }: RootState): readonly Id[] =>
  Object.entries(deleting).flatMap(([id, how]) => (how === "asked" ? [Number(id)] : []));
