import { type PayloadAction } from "@reduxjs/toolkit";
import { type AnalyticsSession, analyticsSession as machine } from "../machines/analyticsSession";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";
import { machineSlice } from "./machineSlice";

export const analyticsSession = machineSlice(machine);
export const analyticsSessionActions = analyticsSession.actions;

export type Consent = "unasked" | "given" | "refused";

/** What analytics know of this browser, apart from the session. */
export interface AnalyticsState {
  readonly consent: Consent;
  /** The browser's lasting key, under which it is known to the datalake alone; null: nobody knows it. */
  readonly profile: string | null;
  /** The facts of the device that a session is opened with, and where it may send from. */
  readonly device: AnalyticsDevice | null;
}

export interface AnalyticsDevice {
  readonly device_type: string;
  readonly user_agent: string;
  readonly resolution: string;
  readonly origin_url: string;
  /** The browser asks not to be tracked (Do-Not-Track or GPC). */
  readonly do_not_track: boolean;
  /** ANA-3. What is recorded here is sent to nobody: a site on localhost. */
  readonly kept_here?: true;
}

const initialState: AnalyticsState = { consent: "unasked", profile: null, device: null };

export const analytics = createSlice({
  name: "analytics",
  initialState: initialState as AnalyticsState,
  reducers: {
    /** Input of the app at page load. */
    deviceKnown: (state, { payload }: PayloadAction<AnalyticsDevice>): AnalyticsState => ({
      ...state,
      device: payload,
    }),
    consentGiven: (state): AnalyticsState => ({ ...state, consent: "given" }),
    /** The browser is forgotten: one that agrees later is another. */
    consentRefused: (state): AnalyticsState => ({ ...state, consent: "refused", profile: null }),
    /** Put by the saga of the session. */
    profileDrawn: (state, { payload }: PayloadAction<{ profile: string }>): AnalyticsState => ({
      ...state,
      profile: payload.profile,
    }),
  },
});

export const analyticsActions = analytics.actions;

export const selectAnalyticsSession = ({ analyticsSession: state }: RootState): AnalyticsSession => state;
/** The channel's analytics key; null: the channel has none, and nothing is recorded. */
export const selectAnalyticsKey = ({ catalogue: { bootstrap } }: RootState): string | null =>
  bootstrap?.settings["yare-analytics"] ?? null;
export const selectAnalyticsProfile = ({ analytics: { profile } }: RootState): string | null => profile;
export const selectConsent = ({ analytics: { consent } }: RootState): Consent => consent;

/** Whether it is known what the channel lets be recorded: before, nobody can say what `selectRecording` will. */
export const selectRulesKnown = ({ analytics: { device }, catalogue: { bootstrap } }: RootState): boolean =>
  device !== null && bootstrap !== null;

/** ANA-7: a channel may make recording wait for consent, and respect Do-Not-Track. */
function isAllowed({ analytics: { consent, device }, catalogue: { bootstrap } }: RootState): boolean {
  if (device === null || bootstrap === null || consent === "refused") return false;
  const rules = bootstrap.settings.analytics;
  if (rules.respect_dnt && device.do_not_track) return false;
  return rules.consent ? consent === "given" : true;
}
/** Whether events are recorded for the datalake: never where the channel has no key for them. */
export const selectRecording = (state: RootState): boolean => selectAnalyticsKey(state) !== null && isAllowed(state);
/** Whether this browser may be known to anybody by what it records. */
export const selectSending = (state: RootState): boolean =>
  selectRecording(state) && state.analytics.device?.kept_here !== true;
/** The container of the tag manager that events are told to (ANA-5); null: the channel has none, or none may be. */
export const selectContainer = (state: RootState): string | null =>
  isAllowed(state) ? (state.catalogue.bootstrap?.settings["google-analytics"] ?? null) : null;
/** Whether the channel asks, of a browser that does not say by itself that it is not to be tracked. */
const asks = ({ analytics: { device }, catalogue: { bootstrap } }: RootState): boolean => {
  const rules = bootstrap?.settings.analytics;
  return rules?.consent === true && !(rules.respect_dnt && device?.do_not_track);
};
/** The site has yet to ask. */
export const selectConsentWanted = (state: RootState): boolean => asks(state) && selectConsent(state) === "unasked";
/** What was answered; null where nothing was asked. */
export const selectConsentSettled = (state: RootState): "given" | "refused" | null => {
  const consent = selectConsent(state);
  return asks(state) && consent !== "unasked" ? consent : null;
};
