import type { Reducer } from "@reduxjs/toolkit";
import type { Clip } from "../contracts/resources";
import { CLIP_FAILED, type ClipMaking, clip as machine } from "../machines/clip";
import { authActions } from "./auth";
import type { RootState } from "./index";
import { type Keyed, keyedMachineSlice } from "./machineSlice";
import { outboxActions } from "./outbox";

const slice = keyedMachineSlice(machine);
export const clipActions = slice.actions;

/** The form's key; a requested clip has its outbox item's id. */
export const DRAFT = "draft";
/** Limit of remembered clips in progress. */
const MAX_CLIPS = 50;

const NONE: Keyed<ClipMaking> = {};

type Answered = Parameters<typeof outboxActions.itemAnswered>[0];

/** Applies an outbox outcome to its clip, in any tab. */
function answered(states: Keyed<ClipMaking>, { id: key, kind, outcome }: Answered): Keyed<ClipMaking> {
  if (kind !== "clip.create" || states[key]?.at !== "submitting") return states;
  if (outcome.outcome === "dead")
    return slice.reducer(states, clipActions.failed({ key, message: outcome.message || CLIP_FAILED }));
  const { id, status, version } = outcome.answer as unknown as Clip;
  return slice.reducer(states, clipActions.seen({ key, clip_id: id, status, version }));
}

const reducer: Reducer<Keyed<ClipMaking>> = (states = NONE, action) => {
  if (authActions.loggedOut.match(action) || authActions.reset.match(action)) return NONE;
  if (outboxActions.itemAnswered.match(action)) return answered(states, action.payload);
  const next = slice.reducer(states, action);
  if (clipActions.submitted.match(action)) {
    const { [DRAFT]: _, ...others } = next;
    return Object.fromEntries(Object.entries(others).slice(-MAX_CLIPS));
  }
  if (clipActions.dismissed.match(action)) {
    const { key } = action.payload;
    const { [key]: now, ...others } = next;
    return now?.at === "draft" ? others : next;
  }
  return next;
};

/** CLIP. Clips in progress by key, oldest first. */
export const clip = { ...slice, reducer };

export const selectClipInProgress =
  (key: string) =>
  ({ clip: states }: RootState): ClipMaking =>
    states[key] ?? machine.initial;
export const selectClipsInProgress = ({ clip: states }: RootState): Keyed<ClipMaking> => states;
/** The reason why the form was refused. */
export const selectClipRefusal = ({ clip: states }: RootState): string | null => {
  const draft = states[DRAFT];
  return draft?.at === "draft" ? draft.refusal : null;
};
