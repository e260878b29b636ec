import { Button } from "../components/basic/Button";
import { useTexts } from "../i18n/useTexts";
import { type Chapter, chapterAt, chapterBeside } from "./chapters";
import { DRAWINGS } from "./icons";
import { ratesOf } from "./keys";
import type { Playback } from "./playback";
import { SeekBar } from "./SeekBar";
import { Time } from "./Time";
import type { Captions } from "./useCaptions";
import type { FullScreen } from "./useFullScreen";
import type { PictureInPicture } from "./usePictureInPicture";
import type { VideoCommands } from "./useVideo";
import type { ClipRange } from "./VideoPlayer";
import "./Controls.css";

/** Theatre mode: the video is as wide as the page. */
export interface Theatre {
  readonly on: boolean;
  readonly onToggle: () => void;
}

interface ControlsProps {
  readonly playback: Playback;
  readonly commands: VideoCommands;
  readonly live: boolean;
  readonly spot: boolean;
  /** Seconds behind the live edge; 0 at the edge. */
  readonly behind: number;
  readonly range: ClipRange | undefined;
  readonly chapters: readonly Chapter[];
  readonly captions: Captions;
  readonly settings: { readonly open: boolean; readonly onToggle: () => void };
  readonly theatre: Theatre | undefined;
  /** Opens the browser's device picker; null if there are no devices. */
  readonly onRemote: (() => void) | null;
  readonly onClip: (() => void) | undefined;
  /** Scripts can set the volume. */
  readonly hasVolume: boolean;
  readonly fullScreen: FullScreen;
  readonly pip: PictureInPicture | undefined;
}

function SpeedMenu({ playback, commands, live }: Pick<ControlsProps, "playback" | "commands" | "live">) {
  const { t } = useTexts();
  return (
    <label className="player__speed">
      <span className="visually-hidden">{t("player.speed")}</span>
      <select value={playback.rate} onChange={({ currentTarget }) => commands.setRate(Number(currentTarget.value))}>
        {ratesOf(live).map((rate) => (
          <option key={rate} value={rate}>
            {t("player.rate", { rate })}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The control bar. Every control is a native element: reachable by tab, named, 44 px. */
export function Controls(props: ControlsProps) {
  const { playback, commands, live, spot, behind, onClip, hasVolume, fullScreen, pip } = props;
  const { chapters, captions, settings, theatre, onRemote } = props;
  const { t } = useTexts();
  const playing = playback.at === "playing";
  const chapter = chapterAt(chapters, playback.time);
  const next = chapterBeside(chapters, playback.time, 1);
  return (
    <div className="player__controls">
      {!spot && (
        <SeekBar
          playback={playback}
          commands={commands}
          live={live}
          behind={behind}
          range={props.range}
          chapters={chapters}
        />
      )}
      <div className="player__row">
        <Button
          look="quiet"
          icon={playing ? "pause" : "play"}
          label={playing ? t("player.pause") : t("player.play")}
          onClick={playing ? commands.pause : commands.play}
        />
        {!spot && (
          <Button look="quiet" icon={DRAWINGS.back10} label={t("player.back10")} onClick={() => commands.seekBy(-10)} />
        )}
        {!spot && (
          <Button
            look="quiet"
            icon={DRAWINGS.forward10}
            label={t("player.forward10")}
            className="player__forward"
            onClick={() => commands.seekBy(10)}
          />
        )}
        <Button
          look="quiet"
          icon={playback.muted ? DRAWINGS.mute : DRAWINGS.volume}
          label={playback.muted ? t("player.unmute") : t("player.mute")}
          aria-pressed={playback.muted}
          className="player__mute"
          onClick={commands.toggleMute}
        />
        {hasVolume && (
          <input
            className="player__volume"
            type="range"
            min={0}
            max={1}
            step={0.05}
            value={playback.muted ? 0 : playback.volume}
            aria-label={t("player.volume")}
            onChange={(event) => commands.setVolume(event.currentTarget.valueAsNumber)}
          />
        )}
        <span className="player__time figures">
          <Time playback={playback} live={live} spot={spot} behind={behind} onLive={commands.goLive} />
        </span>
        {live && (
          <Button
            look="quiet"
            icon={DRAWINGS.fromStart}
            label={t("player.startOver")}
            className="player__from-start"
            onClick={() => {
              commands.seek(playback.start);
              commands.play();
            }}
          />
        )}
        {chapter && (
          <button
            type="button"
            className="player__to-live player__chapter-name"
            title={next === undefined ? undefined : t("player.nextChapter")}
            disabled={next === undefined}
            onClick={() => next !== undefined && commands.seek(next)}
          >
            <bdi>{chapter.name}</bdi>
          </button>
        )}
        <span className="player__space" />
        {/* A control that appears once the stream has loaded must not shift the others. */}
        {onRemote && !spot && (
          <Button look="quiet" icon={DRAWINGS.cast} label={t("player.remote")} onClick={onRemote} />
        )}
        {captions.tracks.length > 0 && (
          <Button
            look="quiet"
            icon={DRAWINGS.captions}
            label={t("player.captions")}
            aria-pressed={captions.language !== null}
            className="player__cc"
            onClick={captions.toggle}
          />
        )}
        {!spot && <SpeedMenu playback={playback} commands={commands} live={live} />}
        {!spot && (
          <Button
            look="quiet"
            icon={DRAWINGS.gear}
            label={t("player.settings")}
            aria-expanded={settings.open}
            className="player__gear"
            onClick={settings.onToggle}
          />
        )}
        {onClip && (
          <Button look="second" icon="clip" className="player__clip" onClick={onClip}>
            <span className="player__clip-word">{t("player.clip")}</span>
          </Button>
        )}
        {pip && (
          <Button
            look="quiet"
            icon={DRAWINGS.pip}
            label={pip.on ? t("player.exitPip") : t("player.pip")}
            className="player__pip"
            onClick={pip.toggle}
          />
        )}
        {theatre && (
          <Button
            look="quiet"
            icon={DRAWINGS.theatre}
            label={t("player.theatre")}
            aria-pressed={theatre.on}
            className="player__theatre"
            onClick={theatre.onToggle}
          />
        )}
        {fullScreen.toggle && (
          <Button
            look="quiet"
            icon={fullScreen.mode === null ? DRAWINGS.fullscreen : DRAWINGS.fullscreenExit}
            label={fullScreen.mode === null ? t("player.fullscreen") : t("player.exitFullscreen")}
            onClick={fullScreen.toggle}
          />
        )}
      </div>
    </div>
  );
}
