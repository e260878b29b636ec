import { combineReducers, type Reducer, type UnknownAction } from "@reduxjs/toolkit";
import { analytics, analyticsSession } from "./analytics";
import { auth, selectViewer } from "./auth";
import { autoRenew } from "./autoRenew";
import { catalogue } from "./catalogue";
import { checkout } from "./checkout";
import { clip } from "./clip";
import { clips } from "./clips";
import { connection, connectionInputs, connectionSnapshotReceived } from "./connection";
import { devices } from "./devices";
import { errorScreen } from "./errorScreen";
import { events } from "./events";
import { favourites, isOldChange } from "./favourites";
import { form } from "./form";
import { isIntent, isRepeatable } from "./intents";
import { loader } from "./loader";
import { login } from "./login";
import { navigation } from "./navigation";
import { network } from "./network";
import { orders } from "./orders";
import { analyticsOutbox, isAnswerToAnother, isKnownEnd, isOutdated, isToldAgain, outbox } from "./outbox";
import { player } from "./player";
import { popups } from "./popups";
import { positions } from "./positions";
import { preferences } from "./preferences";
import { preroll, prerollRecords } from "./preroll";
import { purchase } from "./purchase";
import { freshness, queries, queryActions } from "./queries";
import { site } from "./site";
import { startup } from "./startup";
import { supervisor } from "./supervisor";
import { answers, led, post, snapshotReceived, streamReceived, tabs } from "./tabs";
import { toast } from "./toast";
import { transient } from "./transient";
import { user } from "./user";
import { vod } from "./vod";

/** What belongs to the viewer: the leader folds and writes it, the other tabs fold the leader's stream. */
const viewer = {
  analytics: analytics.reducer,
  analyticsOutbox: analyticsOutbox.reducer,
  analyticsSession: analyticsSession.reducer,
  answers: answers.reducer,
  auth: auth.reducer,
  autoRenew: autoRenew.reducer,
  clip: clip.reducer,
  clips: clips.reducer,
  connection: connection.reducer,
  favourites: favourites.reducer,
  orders: orders.reducer,
  outbox: outbox.reducer,
  positions: positions.reducer,
  preferences: preferences.reducer,
  prerollRecords: prerollRecords.reducer,
  purchase: purchase.reducer,
  user: user.reducer,
};

/** What a page has read of the channel. Each page has its own; a new one begins with the leader's. */
const cache = {
  catalogue: catalogue.reducer,
  events: events.reducer,
  freshness: freshness.reducer,
  vod: vod.reducer,
};

/** What belongs to the page. */
const page = {
  checkout: checkout.reducer,
  devices: devices.reducer,
  errorScreen: errorScreen.reducer,
  form: form.reducer,
  loader: loader.reducer,
  login: login.reducer,
  navigation: navigation.reducer,
  network: network.reducer,
  player: player.reducer,
  popups: popups.reducer,
  preroll: preroll.reducer,
  queries: queries.reducer,
  startup: startup.reducer,
  supervisor: supervisor.reducer,
  toast: toast.reducer,
};

/** What only the app knows, and what it reads anew each time: it is not stored. */
const tab = { site: site.reducer, tabs: tabs.reducer, transient: transient.reducer };

const combined = combineReducers({ ...viewer, ...cache, ...page, ...tab });

export type RootState = ReturnType<typeof combined>;
export type ViewerScoped = keyof typeof viewer;

export const viewerScoped = Object.keys(viewer) as readonly ViewerScoped[];
const cached = Object.keys(cache) as readonly (keyof typeof cache)[];
/** What the leader writes, and every new page begins with. */
export const browserScoped: readonly string[] = [...viewerScoped, ...cached];
/** What each page writes. */
export const tabScoped: readonly string[] = [...(Object.keys(page) as (keyof typeof page)[]), ...cached];

type Fold = (state: unknown, action: UnknownAction) => unknown;
type Folds = readonly (readonly [string, Fold])[];
const viewerFolds = Object.entries(viewer) as unknown as Folds;
const pageFolds = Object.entries({ ...cache, ...page, ...tab }) as unknown as Folds;
/** What a page folds of the leader's stream besides: what it shows of the channel, and of the viewer. */
const followedFolds = Object.entries({
  ...cache,
  checkout: checkout.reducer,
  devices: devices.reducer,
}) as unknown as Folds;

function foldWith(folds: Folds, state: RootState, action: UnknownAction): RootState {
  let changed: { [slice: string]: unknown } | undefined;
  for (const [name, reducer] of folds) {
    const before = state[name as keyof RootState];
    const after = reducer(before, action);
    if (after === before) continue;
    changed ??= { ...state };
    changed[name] = after;
  }
  return (changed as RootState | undefined) ?? state;
}

/** An answer that another page asked for in the name of who has left since: nobody here sees it. */
const isOfAnotherViewer = (state: RootState, action: UnknownAction): boolean =>
  queryActions.loaded.match(action) &&
  action.payload.user_id !== undefined &&
  action.payload.user_id !== selectViewer(state);

/** The viewer's slices after an action, in the leader's order. */
function foldViewer(state: RootState, action: UnknownAction): RootState {
  if (isOutdated(state, action) || isOfAnotherViewer(state, action)) return state;
  // What ended was somebody else's, or has been changed again since: it is done, and nobody here sees more of it.
  const isOld = isKnownEnd(state, action) || (isToldAgain(action) && isOldChange(state, action));
  if (isOld || isAnswerToAnother(state, action)) return foldWith([["outbox", outbox.reducer as Fold]], state, action);
  return foldWith(viewerFolds, state, action);
}

/** One action of the leader's stream. A list that another page read says nothing of what this page has read. */
const follow = (state: RootState, action: UnknownAction): RootState => {
  const next = foldViewer(state, action);
  return queryActions.loaded.match(action) ? next : foldWith(followedFolds, next, action);
};

/** What this page wants shows until the leader's order has it. */
const showPending = (state: RootState): RootState =>
  state.tabs.pending
    .filter(({ action }) => isRepeatable(action))
    .reduce((now, { action }) => foldViewer(now, action), state);

const replaced = (state: RootState, slices: { readonly [slice: string]: unknown }): RootState => ({
  ...state,
  ...Object.fromEntries(viewerScoped.filter((name) => name in slices).map((name) => [name, slices[name]])),
});

/** A follower changes what belongs to the viewer by the leader's stream alone; what it wants itself is posted. */
function foldAsFollower(state: RootState, action: UnknownAction): RootState {
  const next = foldWith(pageFolds, state, action);
  if (!isIntent(action)) return next;
  const posted = { ...next, tabs: post(next.tabs, action) };
  return isRepeatable(action) ? foldViewer(posted, action) : posted;
}

/** The whole state: the fold of the log. */
export const rootReducer: Reducer<RootState, UnknownAction> = (state, action) => {
  // A recovered state has no word of the tabs, and perhaps not every slice.
  if (state === undefined || !("tabs" in state)) return combined(state, action);
  if (streamReceived.match(action)) {
    const next = action.payload.actions.reduce(follow, foldWith([["answers", answers.reducer as Fold]], state, action));
    return showPending(foldWith([["tabs", tabs.reducer as Fold]], next, action));
  }
  if (snapshotReceived.match(action))
    return showPending(foldWith([["tabs", tabs.reducer as Fold]], replaced(state, action.payload.slices), action));
  if (led.match(action)) {
    const next = action.payload.slices === undefined ? state : replaced(state, action.payload.slices);
    return foldWith([["tabs", tabs.reducer as Fold]], next, action);
  }
  if (!state.tabs.leads) return foldAsFollower(state, action);
  return foldViewer(foldWith(pageFolds, state, action), action);
};

/** Whether a page that follows is to hear of it. */
export const isForFollowers = (before: RootState, after: RootState, action: UnknownAction): boolean =>
  queryActions.invalidated.match(action) ||
  connectionInputs.statusReceived.match(action) ||
  connectionSnapshotReceived.match(action) ||
  viewerScoped.some((name) => before[name] !== after[name]);
