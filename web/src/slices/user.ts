import type { Access, FeatureCount, Profile } from "../contracts/resources";
import { authActions } from "./auth";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";
import { outboxActions } from "./outbox";
import { queryActions } from "./queries";

/** USER. Capabilities by name, lower-cased. */
export interface Capabilities {
  readonly watch: boolean;
  readonly download: boolean;
  readonly clipping: boolean;
  readonly download_clip: boolean;
  readonly no_ads: boolean;
  readonly vod_media: boolean;
}

export interface UserState {
  readonly flags: {
    readonly email_verified: boolean;
    readonly temporary_password: boolean;
    readonly trial_period_used: boolean;
    readonly is_geo_blocked: boolean;
  } | null;
  readonly capabilities: Capabilities;
  readonly featureCount: FeatureCount;
  readonly access: Access | null;
}

const NONE: Capabilities = {
  watch: false,
  download: false,
  clipping: false,
  download_clip: false,
  no_ads: false,
  vod_media: false,
};

const initialState: UserState = {
  flags: null,
  capabilities: NONE,
  featureCount: { clips: 0, downloads: 0 },
  access: null,
};

/** Names come in any case, and one capability has two names. */
function capabilitiesOf(names: readonly string[]): Capabilities {
  const has = new Set(names.map((name) => name.toLowerCase()));
  return {
    watch: has.has("watch"),
    download: has.has("download"),
    clipping: has.has("clipping"),
    download_clip: has.has("download_clip"),
    no_ads: has.has("no_ads"),
    vod_media: has.has("vod_media") || has.has("vod_media_access"),
  };
}

function withProfile(state: UserState, user: Profile): UserState {
  const { email_verified, temporary_password, trial_period_used, is_geo_blocked } = user;
  return {
    ...state,
    flags: { email_verified, temporary_password, trial_period_used, is_geo_blocked },
    capabilities: capabilitiesOf(user.capabilities),
    featureCount: user.featureCount,
  };
}

export const user = createSlice({
  name: "user",
  initialState,
  reducers: {
    downloaded: (state) => ({
      ...state,
      featureCount: { ...state.featureCount, downloads: state.featureCount.downloads + 1 },
    }),
  },
  extraReducers: (builder) =>
    builder
      .addCase(authActions.succeeded, (state, { payload }) => withProfile(state, payload.user))
      .addCase(authActions.profileLoaded, (state, { payload }) => withProfile(state, payload.user))
      .addCase(authActions.profileChanged, (state, { payload }) => withProfile(state, payload.user))
      .addCase(authActions.loggedOut, () => initialState)
      .addCase(authActions.reset, () => initialState)
      .addCase(outboxActions.itemAnswered, (state, { payload }) =>
        payload.kind === "clip.create" && payload.outcome.outcome === "done"
          ? { ...state, featureCount: { ...state.featureCount, clips: state.featureCount.clips + 1 } }
          : state,
      )
      .addCase(queryActions.loaded, (state, { payload }) =>
        payload.method === "api.getUserAccess" ? { ...state, access: payload.answer } : state,
      ),
});

export const userActions = user.actions;

export const selectCapabilities = ({ user: { capabilities } }: RootState): Capabilities => capabilities;
export const selectFeatureCount = ({ user: { featureCount } }: RootState): FeatureCount => featureCount;
export const selectUserFlags = ({ user: { flags } }: RootState) => flags;
/** Whether the menu offers clips: the viewer may create some or has some. A visitor's capabilities are unknown. */
export const selectOffersClips = ({ user: { flags, capabilities, featureCount } }: RootState): boolean =>
  flags === null || capabilities.clipping || featureCount.clips > 0;
/** The viewer's region is blocked. */
export const selectGeoBlocked = ({ user: { flags }, catalogue: { geo } }: RootState): boolean =>
  (flags?.is_geo_blocked ?? false) || (geo?.is_geo_blocked ?? false);
/** SUB: one trial per account. */
export const selectTrialAvailable = ({ user: { flags } }: RootState): boolean => flags?.trial_period_used === false;
