import { createAction, type PayloadAction } from "@reduxjs/toolkit";
import type { AnalyticsIdentity } from "../contracts/outbox";
import type { Json } from "../lib/json";
import { type AnalyticsSession, analyticsSession as machine } from "../machines/analyticsSession";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";
import { machineSlice } from "./machineSlice";

export const analyticsSession = machineSlice(machine);
export const analyticsSessionActions = analyticsSession.actions;

export type Consent = "unasked" | "given" | "refused";

/** The analytics settings of this browser, apart from the session. */
export interface AnalyticsState {
  readonly consent: Consent;
  /** The browser's permanent key, under which only the datalake identifies it; null: unidentified. */
  readonly profile: string | null;
  /** The device properties that a session is opened with, and the origins it may send from. */
  readonly device: AnalyticsDevice | null;
}

export interface AnalyticsDevice {
  readonly device_type: string;
  readonly user_agent: string;
  readonly resolution: string;
  readonly origin_url: string;
  /** The browser sends Do-Not-Track or GPC. */
  readonly do_not_track: boolean;
  /** Events are recorded and never sent: a site on localhost (ANA-3). */
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
    /** Drops the profile, so that consenting later starts a new one. */
    consentRefused: (state): AnalyticsState => ({ ...state, consent: "refused", profile: null }),
    /** Put by the saga of the session. */
    profileDrawn: (state, { payload }: PayloadAction<{ profile: string }>): AnalyticsState => ({
      ...state,
      profile: payload.profile,
    }),
  },
});

export const analyticsActions = analytics.actions;

/** The viewer did something that analytics record or count (ANA-15), on this page alone. */
export const viewerActed = createAction<{
  event: "searched" | "clip_shared" | "cancellation_opened";
  extras: { [field: string]: Json };
}>("analytics/viewerActed");

export const selectAnalyticsSession = ({ analyticsSession: state }: RootState): AnalyticsSession => state;
/** The channel's analytics key; null: the channel has none, and nothing is recorded. */
export const selectAnalyticsKey = ({ catalogue: { bootstrap } }: RootState): string | null =>
  bootstrap?.settings["yare-analytics"] ?? null;
export const selectAnalyticsProfile = ({ analytics: { profile } }: RootState): string | null => profile;
/** The browser's session in analytics, while one is active and may be sent. */
export function selectAnalyticsIdentity(state: RootState): AnalyticsIdentity | null {
  if (!selectSending(state)) return null;
  const profile = selectAnalyticsProfile(state);
  const session = selectAnalyticsSession(state);
  return profile === null || session.at !== "active"
    ? null
    : { profile, session: session.session, expires_at: session.expiresAt };
}
export const selectConsent = ({ analytics: { consent } }: RootState): Consent => consent;

/** Whether the channel's recording rules are loaded; before, `selectRecording` has no meaning. */
export const selectRulesLoaded = ({ analytics: { device }, catalogue: { bootstrap } }: RootState): boolean =>
  device !== null && bootstrap !== null;

/** A channel may require consent for recording and respect Do-Not-Track (ANA-7). */
function isAllowed({ analytics: { consent, device }, catalogue: { bootstrap } }: RootState): boolean {
  if (device === null || bootstrap === null || consent === "refused") return false;
  const rules = bootstrap.settings.analytics;
  if (rules.respect_dnt && device.do_not_track) return false;
  return rules.consent ? consent === "given" : true;
}
/** Whether events are recorded for the datalake: never if the channel has no key for them. */
export const selectRecording = (state: RootState): boolean => selectAnalyticsKey(state) !== null && isAllowed(state);
/** Whether recorded events may identify this browser. */
export const selectSending = (state: RootState): boolean =>
  selectRecording(state) && state.analytics.device?.kept_here !== true;
/** Whether events are counted without their viewer. */
export const selectCounting = (state: RootState): boolean =>
  selectAnalyticsKey(state) !== null && state.analytics.device !== null && state.analytics.device.kept_here !== true;
/** The tag manager container that receives events (ANA-5); null: the channel has none, or none is allowed. */
export const selectContainer = (state: RootState): string | null =>
  isAllowed(state) ? (state.catalogue.bootstrap?.settings["google-analytics"] ?? null) : null;
/** Whether the channel asks for consent. Browsers that send Do-Not-Track aren't asked. */
const asksConsent = ({ analytics: { device }, catalogue: { bootstrap } }: RootState): boolean => {
  const rules = bootstrap?.settings.analytics;
  return rules?.consent === true && !(rules.respect_dnt && device?.do_not_track);
};
/** Consent is still to be requested. */
export const selectConsentNeeded = (state: RootState): boolean =>
  asksConsent(state) && selectConsent(state) === "unasked";
/** The viewer's answer; null if nothing was asked. */
export const selectConsentSettled = (state: RootState): "given" | "refused" | null => {
  const consent = selectConsent(state);
  return asksConsent(state) && consent !== "unasked" ? consent : null;
};
