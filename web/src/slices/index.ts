import { combineReducers, type Reducer, type UnknownAction } from "@reduxjs/toolkit";
import { analytics, analyticsSession } from "./analytics";
import { auth, authActions, selectViewer } from "./auth";
import { autoRenew, isOfRenewals } from "./autoRenew";
import { catalogue } from "./catalogue";
import { checkout } from "./checkout";
import { clip } from "./clip";
import { clips } from "./clips";
import { connection } from "./connection";
import { devices } from "./devices";
import { errorScreen } from "./errorScreen";
import { events } from "./events";
import { favourites, isOldChange } from "./favourites";
import { form } from "./form";
import { loader } from "./loader";
import { navigation } from "./navigation";
import { network } from "./network";
import { orders } from "./orders";
import { analyticsOutbox, isAnswerToAnother, isOutdated, isToldAgain, outbox } from "./outbox";
import { player } from "./player";
import { popups } from "./popups";
import { preferences } from "./preferences";
import { preroll, prerollRecords } from "./preroll";
import { isOfPurchases, purchase, purchaseActions } from "./purchase";
import { freshness, queries, queryActions } from "./queries";
import { startup } from "./startup";
import { supervisor } from "./supervisor";
import { factsHeard, tabs } from "./tabs";
import { toast } from "./toast";
import { user } from "./user";
import { vod } from "./vod";

/** What belongs to the viewer: one tab of the browser writes it, the others hear of it. */
const browser = {
  analytics: analytics.reducer,
  analyticsOutbox: analyticsOutbox.reducer,
  analyticsSession: analyticsSession.reducer,
  auth: auth.reducer,
  autoRenew: autoRenew.reducer,
  catalogue: catalogue.reducer,
  clip: clip.reducer,
  clips: clips.reducer,
  events: events.reducer,
  favourites: favourites.reducer,
  freshness: freshness.reducer,
  orders: orders.reducer,
  outbox: outbox.reducer,
  preferences: preferences.reducer,
  prerollRecords: prerollRecords.reducer,
  purchase: purchase.reducer,
  user: user.reducer,
  vod: vod.reducer,
};

/** What belongs to the page. */
const tab = {
  checkout: checkout.reducer,
  connection: connection.reducer,
  devices: devices.reducer,
  errorScreen: errorScreen.reducer,
  form: form.reducer,
  loader: loader.reducer,
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

/** What only the app knows: a page that went on from what an earlier one was told would drive what is another's by now. */
const told = { tabs: tabs.reducer };

const combined = combineReducers({ ...browser, ...tab, ...told });

export type RootState = ReturnType<typeof combined>;
export type BrowserScoped = keyof typeof browser;
export type TabScoped = keyof typeof tab;

export const browserScoped = Object.keys(browser) as readonly BrowserScoped[];
export const tabScoped = Object.keys(tab) as readonly TabScoped[];

const browserReducers = Object.entries(browser) as [BrowserScoped, (state: unknown, fact: UnknownAction) => unknown][];

type HeardFact = Parameters<typeof factsHeard>[0]["facts"][number];

/** Whether a fact of another tab is of the session of somebody who is not here: it came late. */
function isOfAnotherSession(state: RootState, { user, ...fact }: HeardFact): boolean {
  const here = selectViewer(state);
  const { at } = state.auth;
  // Whoever is here came after that one had left: the beginning of a logout is heard before its end.
  if (authActions.loggedOut.match(fact)) return here !== null && at !== "loggingOut";
  if (user === undefined || user === here) return false;
  if (queryActions.loaded.match(fact) || isOfPurchases(fact) || isOfRenewals(fact)) return true;
  // Of a login that is under way here the profile may be what ends it.
  if (authActions.profileLoaded.match(fact)) return at !== "authenticating";
  // Who left there had left here as well, before the one who is here came.
  return here !== null && (authActions.logoutPressed.match(fact) || authActions.reset.match(fact));
}

/** What another tab told changes what belongs to the viewer, and nothing of this page. */
function hear(state: RootState, fact: HeardFact): RootState {
  // A buy page that is opened there says nothing of what ended here.
  if (purchaseActions.opened.match(fact)) return state;
  if (isOfAnotherSession(state, fact) || isOutdated(state, fact)) return state;
  if (isAnswerToAnother(state, fact) || isOldChange(state, fact)) return settle(state, fact);
  const next = browserReducers.map(([name, reducer]) => [name, reducer(state[name], fact)]);
  return { ...state, ...Object.fromEntries(next) };
}

/** What ended was somebody else's, or has been changed again since: it is done, and nobody here sees more of it. */
const settle = (state: RootState, action: UnknownAction): RootState => ({
  ...state,
  outbox: outbox.reducer(state.outbox, action),
});

/** The whole state: the fold of the log. */
export const rootReducer: Reducer<RootState, UnknownAction> = (state, action) => {
  if (state === undefined) return combined(state, action);
  if (factsHeard.match(action)) return action.payload.facts.reduce(hear, state);
  // What is told here for the first time is the latest, whatever the clock says.
  const isOld = isToldAgain(action) && isOldChange(state, action);
  return isOld || isAnswerToAnother(state, action) ? settle(state, action) : combined(state, action);
};

/** Whether any browser-scoped slice answers to it: what a tab hands to the others. */
export function isBrowserScoped(before: RootState, after: RootState): boolean {
  return browserScoped.some((name) => before[name] !== after[name]);
}
