import { combineReducers, type Reducer, type UnknownAction } from "@reduxjs/toolkit";
import { analytics, analyticsSession } from "./analytics";
import { auth, selectViewer } from "./auth";
import { autoRenew } from "./autoRenew";
import { catalogue } from "./catalogue";
import { checkout } from "./checkout";
import { clip } from "./clip";
import { clips } from "./clips";
import { clock } from "./clock";
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
import { analyticsOutbox, isAnswerToAnother, isOutdated, isRecordedEnd, isRepeated, outbox } from "./outbox";
import { payment } from "./payment";
import { player } from "./player";
import { popups } from "./popups";
import { positions } from "./positions";
import { preferences } from "./preferences";
import { preroll, prerollRecords } from "./preroll";
import { isPurchaseAction, purchase, purchaseActions } from "./purchase";
import { purchaseResults, withResult } from "./purchaseResults";
import { freshness, queries, queryActions } from "./queries";
import { reachability } from "./reachability";
import { site } from "./site";
import { startup } from "./startup";
import { supervisor } from "./supervisor";
import { answers, led, post, snapshotReceived, streamReceived, tabs } from "./tabs";
import { toast } from "./toast";
import { transient } from "./transient";
import { user } from "./user";
import { withoutVisit } from "./visit";
import { vod } from "./vod";

/** The viewer's slices: the leader folds and writes them, other tabs fold the leader's stream. */
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
  purchaseResults: purchaseResults.reducer,
  user: user.reducer,
};

/** The channel's data read by a page. Each page has its own, initialised from the leader's. */
const cache = {
  catalogue: catalogue.reducer,
  events: events.reducer,
  freshness: freshness.reducer,
  vod: vod.reducer,
};

/** The page's own slices. */
const page = {
  checkout: checkout.reducer,
  devices: devices.reducer,
  errorScreen: errorScreen.reducer,
  form: form.reducer,
  loader: loader.reducer,
  login: login.reducer,
  navigation: navigation.reducer,
  network: network.reducer,
  payment: payment.reducer,
  player: player.reducer,
  popups: popups.reducer,
  preroll: preroll.reducer,
  queries: queries.reducer,
  startup: startup.reducer,
  supervisor: supervisor.reducer,
  toast: toast.reducer,
};

/** Provided by the app or reread on each load, so not stored. */
const tab = {
  clock: clock.reducer,
  reachability: reachability.reducer,
  site: site.reducer,
  tabs: tabs.reducer,
  transient: transient.reducer,
};

const combined = combineReducers({ ...viewer, ...cache, ...page, ...tab });

export type RootState = ReturnType<typeof combined>;
export type ViewerScoped = keyof typeof viewer;

export const viewerScoped = Object.keys(viewer) as readonly ViewerScoped[];
const cached = Object.keys(cache) as readonly (keyof typeof cache)[];
/** Written by the leader; every new page starts with it. */
export const browserScoped: readonly string[] = [...viewerScoped, ...cached];
/** Written by each page. */
export const tabScoped: readonly string[] = [...(Object.keys(page) as (keyof typeof page)[]), ...cached];

type Fold = (state: unknown, action: UnknownAction) => unknown;
type Folds = readonly (readonly [string, Fold])[];
const viewerFolds = Object.entries(viewer) as unknown as Folds;
const pageFolds = Object.entries({ ...cache, ...page, ...tab }) as unknown as Folds;
/** Another page's purchase is none of this page's. */
const followPayment: typeof payment.reducer = (state, action) =>
  isPurchaseAction(action) && state !== undefined ? state : payment.reducer(state, action);

/** Slices of the channel and the viewer that a follower also folds from the leader's stream. */
const followedFolds = Object.entries({
  ...cache,
  checkout: checkout.reducer,
  devices: devices.reducer,
  payment: followPayment,
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

/** Whether an action answers a request of a viewer who has left. */
const isOfAnotherViewer = (state: RootState, action: UnknownAction): boolean =>
  queryActions.loaded.match(action) &&
  action.payload.user_id !== undefined &&
  action.payload.user_id !== selectViewer(state);

/** Folds an action over the viewer's slices, in the leader's order. */
function foldViewer(state: RootState, action: UnknownAction): RootState {
  if (isOutdated(state, action) || isOfAnotherViewer(state, action)) return state;
  // The outcome belongs to another viewer, or the subject has changed since.
  const isOld = isRecordedEnd(state, action) || (isRepeated(action) && isOldChange(state, action));
  if (isOld || isAnswerToAnother(state, action)) return foldWith([["outbox", outbox.reducer as Fold]], state, action);
  return withResult(state, foldWith(viewerFolds, state, action), action);
}

/** Whether an action refuses another page's purchase, whose promo code isn't this page's. */
const isRefusalOfAnother = ({ payment: { started } }: RootState, action: UnknownAction): boolean =>
  purchaseActions.refused.match(action) && action.payload.key !== null && action.payload.key !== started?.key;

/** Folds an action over slices of the page. */
const foldPage = (folds: Folds, state: RootState, action: UnknownAction): RootState =>
  isRefusalOfAnother(state, action) ? state : foldWith(folds, state, action);

/** Folds one action of the leader's stream. Lists read by another page don't affect this page. */
const follow = (state: RootState, action: UnknownAction): RootState => {
  const next = foldViewer(state, action);
  return queryActions.loaded.match(action) ? next : foldPage(followedFolds, next, action);
};

/** Applies this page's pending intents until the leader's order contains them. */
const showPending = (state: RootState): RootState =>
  state.tabs.pending
    .filter(({ action }) => isRepeatable(action))
    .reduce((now, { action }) => foldViewer(now, action), state);

const replaced = (state: RootState, slices: { readonly [slice: string]: unknown }): RootState => ({
  ...state,
  ...Object.fromEntries(viewerScoped.filter((name) => name in slices).map((name) => [name, slices[name]])),
});

/** A follower changes the viewer's slices only through the leader's stream; its own intents are posted. */
function foldAsFollower(state: RootState, action: UnknownAction): RootState {
  const next = foldPage(pageFolds, state, action);
  if (!isIntent(action)) return next;
  const posted = { ...next, tabs: post(next.tabs, action) };
  return isRepeatable(action) ? foldViewer(posted, action) : posted;
}

const fold: Reducer<RootState, UnknownAction> = (state, action) => {
  // A recovered state lacks `tabs` and perhaps other slices.
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
  return foldViewer(foldPage(pageFolds, state, action), action);
};

/** The whole state: the fold of the log. */
export const rootReducer: Reducer<RootState, UnknownAction> = (state, action) => {
  const next = fold(state, action);
  const before = state?.auth === undefined ? null : selectViewer(state);
  return before === null || selectViewer(next) === before ? next : withoutVisit(next);
};

/** Whether followers receive the action. */
export const isForFollowers = (before: RootState, after: RootState, action: UnknownAction): boolean =>
  queryActions.invalidated.match(action) ||
  connectionInputs.statusReceived.match(action) ||
  connectionSnapshotReceived.match(action) ||
  viewerScoped.some((name) => before[name] !== after[name]);
