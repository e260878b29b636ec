import { createAction, type PayloadAction, type UnknownAction } from "@reduxjs/toolkit";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";

/** An action that a follower posts to the leader. Its id is `tab/n`. */
export interface Intent {
  readonly id: string;
  readonly action: UnknownAction;
}

/** How far a follower has read the leader's stream. */
export interface StreamPosition {
  /** Which leader it is: raised each time that a tab begins to lead. */
  readonly generation: number;
  readonly seq: number;
}

/** This page among the pages of the same browser. */
export interface TabsState extends StreamPosition {
  /** Names this page; empty until the app has said it. */
  readonly id: string;
  /** Whether this page folds the viewer's slices and runs their processes. */
  readonly leads: boolean;
  /** Whether the viewer sees this page. */
  readonly visible: boolean;
  /** How many intents this page has posted. */
  readonly posted: number;
  /** Intents that the stream has not answered yet, oldest first. */
  readonly pending: readonly Intent[];
}

type Slices = { readonly [slice: string]: unknown };

/** An intent of a follower, as the leader receives it (origin `ui`). Its saga then puts the action. */
export const intentReceived = createAction<{ id: string; action: { type: string; payload?: unknown } }>(
  "tabs/intentReceived",
);
/**
 * One message of the leader's stream (origin `storage`), the next one in order. The root reducer folds its actions. A saga
 * hears that something changed; the process that it belongs to runs in the leader alone.
 */
export const streamReceived = createAction<
  StreamPosition & { actions: { type: string; payload?: unknown }[]; answers: string[] }
>("tabs/streamReceived");
/** The leader's whole state of the viewer's slices (origin `storage`): where a follower begins, and after a gap. */
export const snapshotReceived = createAction<StreamPosition & { slices: Slices }>("tabs/snapshotReceived");
/** Input of the app: this page leads from now on. `slices`: what is stored, where that is newer than what it folded. */
export const led = createAction<StreamPosition & { slices?: Slices }>("tabs/led");
/** Put by the leader's saga: what this page posted before it led is done here. A message of it may still be on its way. */
export const pendingTaken = createAction<{ ids: string[] }>("tabs/pendingTaken");

const without = (pending: readonly Intent[], answers: readonly string[]): readonly Intent[] =>
  answers.length === 0 ? pending : pending.filter(({ id }) => !answers.includes(id));

const answeredIn = (slices: Slices = {}): readonly string[] =>
  ((slices.answers ?? {}) as Partial<AnswersState>).answered ?? [];

export const tabs = createSlice({
  name: "tabs",
  // Without another word a page leads itself; its processes wait until the app has named it.
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
    /** Input of the app: the page is shown, or hidden. */
    visibilityChanged: (state, { payload: { visible } }: PayloadAction<{ visible: boolean }>): TabsState => ({
      ...(state as TabsState),
      visible,
    }),
  },
  extraReducers: (builder) =>
    builder
      .addCase(pendingTaken, (state): TabsState => ({ ...(state as TabsState), pending: [] }))
      .addCase(
        led,
        (state, { payload: { generation, seq, slices } }): TabsState => ({
          ...(state as TabsState),
          leads: true,
          generation,
          seq,
          // The leader before may have folded some, and stored it, though this page never heard.
          pending: without((state as TabsState).pending, answeredIn(slices)),
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
          pending: without((state as TabsState).pending, answeredIn(slices)),
        };
      }),
});

/** A follower's intent waits for its answer. */
export const post = (state: TabsState, { type, payload }: UnknownAction): TabsState => {
  const posted = state.posted + 1;
  // The log writes no payload as null.
  const action = payload === undefined || payload === null ? { type } : { type, payload };
  return { ...state, posted, pending: [...state.pending, { id: `${state.id}/${posted}`, action }] };
};

/** The ids of the last intents that were folded: one of them that is repeated does nothing. */
export interface AnswersState {
  readonly answered: readonly string[];
}

/** How many ids the leader remembers. */
const REMEMBERED = 256;

export const answers = createSlice({
  name: "answers",
  initialState: { answered: [] } as AnswersState,
  reducers: {},
  extraReducers: (builder) =>
    builder
      .addCase(intentReceived, (state, { payload: { id } }) => remember(state, [id]))
      .addCase(pendingTaken, (state, { payload: { ids } }) => remember(state, ids))
      .addCase(streamReceived, (state, { payload: { answers: ids } }) => remember(state, ids)),
});

function remember(state: AnswersState, ids: readonly string[]): AnswersState {
  const fresh = ids.filter((id) => !state.answered.includes(id));
  return fresh.length === 0 ? state : { answered: [...state.answered, ...fresh].slice(-REMEMBERED) };
}

export const tabActions = { ...tabs.actions, intentReceived, pendingTaken, streamReceived, snapshotReceived, led };

export const selectTab = ({ tabs: state }: RootState): TabsState => state;
/** Whether this page runs the processes of the viewer. */
export const selectLeads = ({ tabs: { id, leads } }: RootState): boolean => leads && id !== "";
export const selectVisible = ({ tabs: { visible } }: RootState): boolean => visible;
