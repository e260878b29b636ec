import { type CSSProperties, type PointerEvent, useEffect, useRef, useState } from "react";
import { duration } from "../i18n/format";
import { useTexts } from "../i18n/useTexts";
import { type Chapter, chapterAt } from "./chapters";
import { Preview } from "./Preview";
import type { Playback } from "./playback";
import { isTelevision } from "./television";
import type { VideoCommands } from "./useVideo";
import type { ClipRange } from "./VideoPlayer";
import "./SeekBar.css";

interface SeekBarProps {
  readonly playback: Playback;
  readonly commands: VideoCommands;
  readonly live: boolean;
  /** Seconds behind the live edge; 0 at the edge. */
  readonly behind: number;
  readonly range: ClipRange | undefined;
  readonly chapters: readonly Chapter[];
}

/** After seeking by key, the preview stays this long, in milliseconds. */
const PREVIEW_HIDE_DELAY_MS = 1_500;
const STEPS: { readonly [key: string]: number } = {
  ArrowRight: 10,
  ArrowUp: 10,
  ArrowLeft: -10,
  ArrowDown: -10,
  PageUp: 60,
  PageDown: -60,
};

/** The seek bar, filled up to the current position. */
export function SeekBar({ playback, commands, live, behind, range, chapters }: SeekBarProps) {
  const { t } = useTexts();
  /** The previewed second; null for none. */
  const [looked, setLooked] = useState<number | null>(null);
  const leaving = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(leaving.current), []);
  const { start, end, time } = playback;
  const length = Math.max(0.001, end - start);
  const share = (moment: number) => Math.min(1, Math.max(0, (moment - start) / length));
  const at = (moment: number) => `${share(moment) * 100}%`;
  const ratio = live && behind === 0 ? 1 : share(time);
  const text = live
    ? behind === 0
      ? t("player.atLive")
      : t("player.behind", { time: duration(behind) })
    : t("player.of", { at: duration(time), whole: duration(end) });
  const look = (moment: number | null) => {
    clearTimeout(leaving.current);
    setLooked(end > start ? moment : null);
  };
  const follow = ({ clientX, currentTarget }: PointerEvent<HTMLElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    look(start + Math.min(1, Math.max(0, (clientX - left) / width)) * length);
  };
  const name = looked === null ? undefined : chapterAt(chapters, looked)?.name;
  return (
    <div
      className="player__seek"
      style={{ "--at": `${ratio * 100}%` } as CSSProperties}
      onPointerMove={follow}
      onPointerDown={follow}
      onPointerLeave={() => look(null)}
      onPointerUp={({ pointerType }) => pointerType !== "mouse" && look(null)}
      onPointerCancel={() => look(null)}
    >
      <span className="player__line" aria-hidden="true" />
      {chapters.map((chapter) => (
        <i key={chapter.id} className="player__chapter" aria-hidden="true" style={{ left: at(chapter.start) }} />
      ))}
      {range && (
        <span
          className="player__range"
          aria-hidden="true"
          style={{ "--from": at(range.start), "--to": at(range.end) } as CSSProperties}
        />
      )}
      {looked !== null && (
        <Preview
          at={looked}
          share={share(looked)}
          text={live ? `−${duration(Math.max(0, end - looked))}` : duration(looked)}
          name={name}
          commands={commands}
        />
      )}
      <input
        className="player__slider"
        type="range"
        min={start}
        max={Math.max(end, start + 0.001)}
        step="any"
        value={live && behind === 0 ? end : time}
        aria-label={t("player.seek")}
        aria-valuetext={text}
        onChange={(event) => commands.seek(event.currentTarget.valueAsNumber)}
        onKeyDown={(event) => {
          const step = STEPS[event.key];
          // On a television, up and down move to other buttons.
          const leads = event.key === "ArrowUp" || event.key === "ArrowDown";
          if (step === undefined || (leads && isTelevision(navigator.userAgent))) return;
          event.preventDefault();
          const next = Math.min(end, Math.max(start, time + step));
          commands.seek(next);
          look(next);
          leaving.current = setTimeout(() => setLooked(null), PREVIEW_HIDE_DELAY_MS);
        }}
      />
    </div>
  );
}
