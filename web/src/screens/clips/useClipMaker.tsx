import { type ReactNode, useState } from "react";
import type { ClipRequest } from "../../machines/clip";
import type { ClipRange, ClipWindow, OnClip } from "../../player/VideoPlayer";
import { selectUserFlags } from "../../slices/user";
import { useAppSelector } from "../state";
import { ClipMaker } from "./ClipMaker";
import { ClipProgress } from "./ClipProgress";
import { UnverifiedClip } from "./UnverifiedClip";

/** Initial length of a clip before the press, in seconds. */
const LEAD_S = 24;

export interface ClipSubject {
  readonly source: Pick<ClipRequest, "event_id" | "vod_id">;
  readonly mediaId: number;
  /** Seconds; 0 while live. */
  readonly whole: number;
  readonly mayPublish: boolean;
}

interface ClipMaking {
  /** Opens the form for a clip that ends at this second. */
  readonly ask: OnClip;
  /** The form's range; undefined while it is closed. */
  readonly range: ClipRange | undefined;
  /** The form or the requested clip's progress; null if neither. */
  readonly panel: (subject: ClipSubject) => ReactNode;
}

/** The clip form beside a video, from the press to the result (CLIP). `onClosed` restores the focus. */
export function useClipMaker(onClosed?: () => void): ClipMaking {
  const unverified = useAppSelector(selectUserFlags)?.email_verified === false;
  const [range, setRange] = useState<ClipRange | null>(null);
  /** A live stream's available range at the press. */
  const [window, setWindow] = useState<ClipWindow | null>(null);
  /** Number of times the form was opened. */
  const [times, setTimes] = useState(0);
  /** The clip in creation that replaces the form. */
  const [createdKey, setCreatedKey] = useState<string | null>(null);
  const close = () => {
    setCreatedKey(null);
    setRange(null);
    onClosed?.();
  };
  return {
    ask(time, now) {
      const oldest = now?.start ?? 0;
      setCreatedKey(null);
      setWindow(now);
      setRange({ start: Math.max(oldest, time - LEAD_S), end: Math.max(oldest + 1, time) });
      setTimes((before) => before + 1);
    },
    range: createdKey === null && range ? range : undefined,
    panel(subject) {
      if (createdKey !== null) return <ClipProgress making={createdKey} onClose={close} />;
      if (!range) return null;
      if (unverified) return <UnverifiedClip times={times} onClose={close} />;
      return (
        <ClipMaker
          {...subject}
          window={window}
          times={times}
          range={range}
          onRange={setRange}
          onAsked={setCreatedKey}
          onClose={close}
        />
      );
    },
  };
}
