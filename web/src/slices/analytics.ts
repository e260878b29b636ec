import { createSlice, type PayloadAction } from "@reduxjs/toolkit";
import { type AnalyticsSession, analyticsSession as machine } from "../machines/analyticsSession";
import type { RootState } from "./index";
import { machineSlice } from "./machineSlice";

export const analyticsSession = machineSlice(machine);
export const analyticsSessionActions = analyticsSession.actions;

export type Consent = "unasked" | "given" | "refused";

/** What analytics know of this browser, apart from the session. */
export interface AnalyticsState {
  /** Names this browser to the analytics service; drawn once. */
  readonly profile: string | null;
  readonly consent: Consent;
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
}

const initialState: AnalyticsState = { profile: null, consent: "unasked", device: null };

export const analytics = createSlice({
  name: "analytics",
  initialState: initialState as AnalyticsState,
  reducers: {
    profileDrawn: (state, { payload: { profile } }: PayloadAction<{ profile: string }>): AnalyticsState => ({
      ...state,
      profile,
    }),
    /** Input of the app at page load. */
    deviceKnown: (state, { payload }: PayloadAction<AnalyticsDevice>): AnalyticsState => ({
      ...state,
      device: payload,
    }),
    consentGiven: (state): AnalyticsState => ({ ...state, consent: "given" }),
    consentRefused: (state): AnalyticsState => ({ ...state, consent: "refused" }),
  },
});

export const analyticsActions = analytics.actions;

export const selectAnalyticsSession = ({ analyticsSession: state }: RootState): AnalyticsSession => state;
export const selectAnalyticsProfile = ({ analytics: { profile } }: RootState): string | null => profile;
export const selectConsent = ({ analytics: { consent } }: RootState): Consent => consent;

/** ANA-7: a channel may make recording wait for consent, and respect Do-Not-Track. */
export function selectRecording({ analytics: { consent, device }, catalogue: { bootstrap } }: RootState): boolean {
  if (device === null || consent === "refused") return false;
  const rules = bootstrap?.settings.analytics;
  if (rules?.respect_dnt && device.do_not_track) return false;
  return rules?.consent ? consent === "given" : true;
}
/** The site has yet to ask. */
export const selectConsentWanted = ({ analytics: { consent }, catalogue: { bootstrap } }: RootState): boolean =>
  consent === "unasked" && (bootstrap?.settings.analytics.consent ?? false);
