import type { ClipStatus, ClipVisibility, Id } from "../contracts/resources";
import { MINUTE } from "../lib/time";
import { defineMachine } from "./machine";

/** The range to clip, of an event's media or of a library video: exactly one of the two ids is set. */
export interface ClipRequest {
  readonly event_id?: Id;
  readonly vod_id?: Id;
  readonly name: string;
  /** Seconds from the start of the media. */
  readonly start_time: number;
  /** Seconds. */
  readonly duration: number;
  readonly tags: readonly string[];
  readonly event_media_id: Id;
  /** Live streams: the segment number that `start_time` is relative to. */
  readonly from_segment?: number;
  /** Defaults to by link. */
  readonly visibility?: ClipVisibility;
}

interface Requested {
  readonly request: ClipRequest;
  /** Time after which the viewer sees a notice about the delay, in Unix milliseconds. */
  readonly lateAt: number;
  readonly late: boolean;
}

interface Created extends Requested {
  readonly clipId: Id;
  readonly version: number;
}

/** CLIP. The creation of one clip, by its outbox item's id; `draft` is the form. */
export type ClipMaking =
  | { readonly at: "draft"; readonly refusal: string | null }
  /** In the outbox; it may wait for a network. */
  | (Requested & { readonly at: "submitting" })
  | (Created & { readonly at: "queued" })
  | (Created & { readonly at: "processing" })
  | { readonly at: "ready"; readonly clipId: Id; readonly request: ClipRequest }
  | { readonly at: "failed"; readonly message: string; readonly request: ClipRequest };

export interface ClipSeen {
  key: string;
  clip_id: Id;
  status: ClipStatus;
  version: number;
}

export interface ClipFacts {
  submitPressed: { key: string; request: ClipRequest; media_duration: number | null };
  rejected: { key: string; message: string };
  submitted: { key: string; request: ClipRequest; late_at: number };
  /** A status of the clip, from an answer, a push or a poll. */
  seen: ClipSeen;
  failed: { key: string; message: string };
  ranLate: { key: string };
  dismissed: { key: string };
}

/** Expected duration of clip creation; a later clip gets a notice and doesn't fail. */
export const CLIP_LATE_AFTER = 5 * MINUTE;
export const CLIP_FAILED = "clip creating failed.";

type Waiting = Extract<ClipMaking, { at: "submitting" | "queued" | "processing" }>;

/** Applies a newer version of the clip; an older one changes nothing. */
function follow(state: Waiting, { clip_id, status, version }: ClipSeen): ClipMaking {
  if (state.at !== "submitting" && (clip_id !== state.clipId || version <= state.version)) return state;
  const { request, lateAt, late } = state;
  switch (status) {
    case "ready":
      return { at: "ready", clipId: clip_id, request };
    case "failed":
      return { at: "failed", message: CLIP_FAILED, request };
    case "queued":
      return state.at === "processing" ? state : { at: "queued", clipId: clip_id, version, request, lateAt, late };
    case "processing":
      return { at: "processing", clipId: clip_id, version, request, lateAt, late };
  }
}

const applyStatus = { to: ["queued", "processing", "ready", "failed"], move: follow } as const;

const failed = {
  to: ["failed"],
  move: ({ request }: Waiting, { message }: { message: string }): ClipMaking => ({ at: "failed", message, request }),
} as const;

const late = <A extends Waiting["at"]>(at: A) => ({
  to: [at],
  move: (state: Extract<Waiting, { at: A }>): ClipMaking => ({ ...state, late: true }),
});

const again = { to: ["draft"], move: (): ClipMaking => ({ at: "draft", refusal: null }) } as const;

export const clip = defineMachine<ClipMaking, ClipFacts>(
  "clip",
  { at: "draft", refusal: null },
  {
    draft: {
      submitPressed: "ignore",
      rejected: { to: ["draft"], move: (_, { message }) => ({ at: "draft", refusal: message }) },
      submitted: {
        to: ["submitting"],
        move: (_, { request, late_at }) => ({ at: "submitting", request, lateAt: late_at, late: false }),
      },
      dismissed: again,
    },
    submitting: { seen: applyStatus, failed, ranLate: late("submitting"), dismissed: "ignore" },
    queued: { seen: applyStatus, failed, ranLate: late("queued"), dismissed: "ignore" },
    processing: {
      seen: { to: ["processing", "ready", "failed"], move: follow },
      failed,
      ranLate: late("processing"),
      dismissed: "ignore",
    },
    ready: { seen: "ignore", ranLate: "ignore", dismissed: again },
    failed: { seen: "ignore", ranLate: "ignore", dismissed: again },
  },
);
