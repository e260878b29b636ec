import { createAction, type PayloadAction, type UnknownAction } from "@reduxjs/toolkit";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";

/** An action that a follower posts to the leader. Its id is `tab/n`. */
export interface Intent {
  readonly id: string;
  readonly action: UnknownAction;
}

/** A follower's position in the leader's stream. */
export interface StreamPosition {
  /** The leader's number, raised each time a tab becomes the leader. */
  readonly generation: number;
  readonly seq: number;
}

/** This page among the pages of the same browser. */
export interface TabsState extends StreamPosition {
  /** This page's id; empty until the app sets it. */
  readonly id: string;
  /** Whether this page folds the viewer's slices and runs their processes. */
  readonly leads: boolean;
  readonly visible: boolean;
  /** Number of posted intents. */
  readonly posted: number;
  /** Intents not yet in the stream, oldest first. */
  readonly pending: readonly Intent[];
}

type Slices = { readonly [slice: string]: unknown };

/** A follower's intent as the leader receives it (origin `ui`). Its saga then puts the action. */
const intentReceived = createAction<{ id: string; action: { type: string; payload?: unknown } }>("tabs/intentReceived");
/**
 * The next message of the leader's stream, in order (origin `storage`). The root reducer folds its actions. Sagas of a
 * follower see only the change; the processes run in the leader alone.
 */
export const streamReceived = createAction<
  StreamPosition & { actions: { type: string; payload?: unknown }[]; answers: string[] }
>("tabs/streamReceived");
/** The leader's viewer slices (origin `storage`): a follower starts from them, also after a gap. */
export const snapshotReceived = createAction<StreamPosition & { slices: Slices }>("tabs/snapshotReceived");
/** Input of the app: this page leads from now on. `slices`: the stored state, if newer than the folded one. */
export const led = createAction<StreamPosition & { slices?: Slices }>("tabs/led");
/**
 * Put by the leader's saga: the intents posted before this page led are done here. Their stream messages may still
 * arrive.
 */
const pendingClaimed = createAction<{ ids: string[] }>("tabs/pendingTaken");

const without = (pending: readonly Intent[], answers: readonly string[]): readonly Intent[] =>
  answers.length === 0 ? pending : pending.filter(({ id }) => !answers.includes(id));

const answeredIdsOf = (slices: Slices = {}): readonly string[] =>
  ((slices.answers ?? {}) as Partial<AnswersState>).answered ?? [];

export const tabs = createSlice({
  name: "tabs",
  // A page leads by default; its processes wait until the app has set the id.
  initialState: {
    id: "",
    leads: true,
    visible: true,
    generation: 0,
    seq: 0,
    posted: 0,
    pending: [],
  } as TabsState,
  reducers: {
    /** Input of the app, once, before anything else. */
    identified: (
      state,
      { payload }: PayloadAction<{ id: string; leads: boolean; visible?: boolean } & Partial<StreamPosition>>,
    ): TabsState => ({ ...(state as TabsState), ...payload }),
    /** Input of the app: this page follows from now on. */
    resigned: (state, { payload }: PayloadAction<StreamPosition>): TabsState => ({
      ...(state as TabsState),
      leads: false,
      ...payload,
    }),
    /** Input of the app. */
    visibilityChanged: (state, { payload: { visible } }: PayloadAction<{ visible: boolean }>): TabsState => ({
      ...(state as TabsState),
      visible,
    }),
  },
  extraReducers: (builder) =>
    builder
      .addCase(pendingClaimed, (state): TabsState => ({ ...(state as TabsState), pending: [] }))
      .addCase(
        led,
        (state, { payload: { generation, seq, slices } }): TabsState => ({
          ...(state as TabsState),
          leads: true,
          generation,
          seq,
          // The previous leader may have folded and stored some without this page receiving them.
          pending: without((state as TabsState).pending, answeredIdsOf(slices)),
        }),
      )
      .addCase(
        streamReceived,
        (state, { payload: { generation, seq, answers } }): TabsState => ({
          ...(state as TabsState),
          generation,
          seq,
          pending: without((state as TabsState).pending, answers),
        }),
      )
      .addCase(snapshotReceived, (state, { payload: { generation, seq, slices } }): TabsState => {
        return {
          ...(state as TabsState),
          generation,
          seq,
          pending: without((state as TabsState).pending, answeredIdsOf(slices)),
        };
      }),
});

/** Posts an intent, which waits for its answer. */
export const post = (state: TabsState, { type, payload }: UnknownAction): TabsState => {
  const posted = state.posted + 1;
  // The log writes an absent payload as null.
  const action = payload === undefined || payload === null ? { type } : { type, payload };
  return { ...state, posted, pending: [...state.pending, { id: `${state.id}/${posted}`, action }] };
};

/** The ids of the last folded intents, so that a repeated one has no effect. */
export interface AnswersState {
  readonly answered: readonly string[];
}

/** Number of ids that the leader remembers. */
const MAX_REMEMBERED = 256;

export const answers = createSlice({
  name: "answers",
  initialState: { answered: [] } as AnswersState,
  reducers: {},
  extraReducers: (builder) =>
    builder
      .addCase(intentReceived, (state, { payload: { id } }) => remember(state, [id]))
      .addCase(pendingClaimed, (state, { payload: { ids } }) => remember(state, ids))
      .addCase(streamReceived, (state, { payload: { answers: ids } }) => remember(state, ids)),
});

function remember(state: AnswersState, ids: readonly string[]): AnswersState {
  const fresh = ids.filter((id) => !state.answered.includes(id));
  return fresh.length === 0 ? state : { answered: [...state.answered, ...fresh].slice(-MAX_REMEMBERED) };
}

export const tabActions = {
  ...tabs.actions,
  intentReceived,
  pendingTaken: pendingClaimed,
  streamReceived,
  snapshotReceived,
  led,
};

export const selectTab = ({ tabs: state }: RootState): TabsState => state;
/** Whether this page runs the viewer's processes. */
export const selectLeads = ({ tabs: { id, leads } }: RootState): boolean => leads && id !== "";
export const selectVisible = ({ tabs: { visible } }: RootState): boolean => visible;
