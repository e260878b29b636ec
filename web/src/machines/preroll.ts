import type { Id } from "../contracts/resources";
import { HOUR, SECOND } from "../lib/time";
import { defineMachine } from "./machine";

/** The target of a preroll: an event, or a library video, whose event, category and location are 0. */
export interface PrerollTarget {
  readonly event_id: Id;
  readonly vod_id?: Id;
  readonly event_category_id: Id;
  readonly location_id: Id;
  readonly media: "live" | "vod";
}

/** PRE. The preroll before one video. */
export type PrerollPlay =
  | { readonly at: "idle" }
  | { readonly at: "selecting"; readonly target: PrerollTarget }
  /** `giveUpAt`: deadline for the first frame, in Unix milliseconds; then the video starts without a preroll. */
  | {
      readonly at: "playing";
      readonly target: PrerollTarget;
      readonly prerollId: Id;
      readonly url: string;
      readonly shown: boolean;
      readonly giveUpAt: number;
    }
  | { readonly at: "done"; readonly target: PrerollTarget }
  | { readonly at: "suppressed"; readonly target: PrerollTarget; readonly reason: "no_ads" | "seen" };

export interface PrerollFacts {
  wanted: PrerollTarget;
  chosen: { preroll_id: Id; url: string; give_up_at: number };
  noneMatched: undefined;
  suppressed: { reason: "no_ads" | "seen" };
  /** The player showed the preroll's first frame; from now on it counts as seen. */
  firstFrameShown: undefined;
  /** `code`: the cause of a broken preroll: a player fault, `stalled`, or `timeout` (no first frame). */
  ended: { how: "played" | "skipped" } | { how: "broken"; code: string };
  left: undefined;
}

/** Suppression of a repeated preroll per viewer and event, unless the channel sets another. */
export const PREROLL_SUPPRESSION = HOUR;
/** Deadline for a preroll's first frame. */
export const PREROLL_TIMEOUT = 10 * SECOND;

const request = {
  to: ["selecting"],
  move: (_: PrerollPlay, target: PrerollTarget): PrerollPlay => ({ at: "selecting", target }),
} as const;
const close = { to: ["idle"], move: (): PrerollPlay => ({ at: "idle" }) } as const;

export const preroll = defineMachine<PrerollPlay, PrerollFacts>(
  "preroll",
  { at: "idle" },
  {
    idle: { wanted: request, firstFrameShown: "ignore", ended: "ignore", left: "ignore" },
    selecting: {
      wanted: request,
      chosen: {
        to: ["playing"],
        move: ({ target }, { preroll_id, url, give_up_at }) => ({
          at: "playing",
          target,
          prerollId: preroll_id,
          url,
          shown: false,
          giveUpAt: give_up_at,
        }),
      },
      noneMatched: { to: ["done"], move: ({ target }) => ({ at: "done", target }) },
      suppressed: { to: ["suppressed"], move: ({ target }, { reason }) => ({ at: "suppressed", target, reason }) },
      firstFrameShown: "ignore",
      ended: "ignore",
      left: close,
    },
    playing: {
      wanted: request,
      firstFrameShown: { to: ["playing"], move: (state) => (state.shown ? state : { ...state, shown: true }) },
      ended: { to: ["done"], move: ({ target }) => ({ at: "done", target }) },
      left: close,
    },
    done: { wanted: request, firstFrameShown: "ignore", ended: "ignore", left: close },
    suppressed: { wanted: request, firstFrameShown: "ignore", ended: "ignore", left: close },
  },
);
