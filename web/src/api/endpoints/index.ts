import type { Method } from "../../ports/calls";
import { analytics } from "./analytics";
import { channelData } from "./channelData";
import { clips } from "./clips";
import type { Endpoints } from "./endpoint";
import { events } from "./events";
import { favourites } from "./favourites";
import { keysAndAuth } from "./keysAndAuth";
import { payments } from "./payments";
import { profile } from "./profile";
import { vod } from "./vod";

/** The calls that the channel's API and the account answer. */
export type ApiMethod = Extract<Method, `api.${string}` | `account.${string}` | `payments.${string}`>;

export const endpoints: Endpoints<ApiMethod> = {
  ...keysAndAuth,
  ...profile,
  ...channelData,
  ...events,
  ...payments,
  ...vod,
  ...clips,
  ...favourites,
  ...analytics,
};
