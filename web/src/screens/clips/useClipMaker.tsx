import { type ReactNode, useState } from "react";
import type { ClipRequest } from "../../machines/clip";
import type { ClipRange, ClipWindow, OnClip } from "../../player/VideoPlayer";
import { selectUserFlags } from "../../slices/user";
import { useAppSelector } from "../state";
import { ClipAsked } from "./ClipAsked";
import { ClipMaker } from "./ClipMaker";
import { UnverifiedClip } from "./UnverifiedClip";

/** How much before the press a clip begins at first, seconds. */
const BEFORE = 24;

/** What a clip's form cuts. */
export interface ClipSubject {
  readonly source: Pick<ClipRequest, "event_id" | "vod_id">;
  readonly mediaId: number;
  /** Seconds; 0 while it goes on. */
  readonly whole: number;
  readonly mayPublish: boolean;
}

interface ClipMaking {
  /** Opens the form for a clip that ends at this second. */
  readonly ask: OnClip;
  /** What the form is about to cut; absent while it is closed. */
  readonly range: ClipRange | undefined;
  /** The form, or what became of the clip that was asked for; null while there is neither. */
  readonly panel: (subject: ClipSubject) => ReactNode;
}

/** The form of a clip beside its video, from the press to what became of it (CLIP). `onClosed` puts the focus back. */
export function useClipMaker(onClosed?: () => void): ClipMaking {
  const unverified = useAppSelector(selectUserFlags)?.email_verified === false;
  const [range, setRange] = useState<ClipRange | null>(null);
  /** Of a live stream: what there was of it at the press. */
  const [window, setWindow] = useState<ClipWindow | null>(null);
  /** How often the form was asked for. */
  const [times, setTimes] = useState(0);
  /** The clip in the making that stands in the form's place. */
  const [asked, setAsked] = useState<string | null>(null);
  const close = () => {
    setAsked(null);
    setRange(null);
    onClosed?.();
  };
  return {
    ask(time, now) {
      const oldest = now?.start ?? 0;
      setAsked(null);
      setWindow(now);
      setRange({ start: Math.max(oldest, time - BEFORE), end: Math.max(oldest + 1, time) });
      setTimes((before) => before + 1);
    },
    range: asked === null && range ? range : undefined,
    panel(subject) {
      if (asked !== null) return <ClipAsked making={asked} onClose={close} />;
      if (!range) return null;
      if (unverified) return <UnverifiedClip times={times} onClose={close} />;
      return (
        <ClipMaker
          {...subject}
          window={window}
          times={times}
          range={range}
          onRange={setRange}
          onAsked={setAsked}
          onClose={close}
        />
      );
    },
  };
}
