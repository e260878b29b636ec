import { useId } from "react";
import { Button } from "../components/basic/Button";
import { Icon } from "../components/basic/Icon";
import { duration } from "../i18n/format";
import { useTexts } from "../i18n/useTexts";
import type { Playback } from "./playback";
import type { VideoCommands } from "./useVideo";
import type { ClipRange } from "./VideoPlayer";

interface ControlsProps {
  readonly playback: Playback;
  readonly commands: VideoCommands;
  readonly live: boolean;
  readonly spot: boolean;
  /** Seconds behind the live edge, 0 at it. */
  readonly behind: number;
  readonly range: ClipRange | undefined;
  readonly onClip: (() => void) | undefined;
  /** The player fills the screen. */
  readonly fullscreen: boolean;
  readonly onFullscreen: () => void;
  readonly onPip: () => void;
}

/** The position as a line: solid accent as far as it has played, and a handle where it stands. */
function SeekBar({ playback, commands, live, behind, range }: ControlsProps) {
  const { t } = useTexts();
  const { start, end, time } = playback;
  const length = Math.max(0.001, end - start);
  const share = (moment: number) => Math.min(1, Math.max(0, (moment - start) / length));
  const place = live && behind === 0 ? 1 : share(time);
  const text = live
    ? behind === 0
      ? t("player.atLive")
      : t("player.behind", { time: duration(behind) })
    : t("player.of", { at: duration(time), whole: duration(end) });
  return (
    <div className="player__seek" style={{ "--at": `${place * 100}%` } as React.CSSProperties}>
      <span className="player__line" aria-hidden="true" />
      {range && (
        <span
          className="player__range"
          aria-hidden="true"
          style={
            { "--from": `${share(range.start) * 100}%`, "--to": `${share(range.end) * 100}%` } as React.CSSProperties
          }
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
          const step = { ArrowRight: 10, ArrowUp: 10, ArrowLeft: -10, ArrowDown: -10, PageUp: 60, PageDown: -60 }[
            event.key
          ];
          if (step === undefined) return;
          event.preventDefault();
          commands.seek(Math.min(end, Math.max(start, time + step)));
        }}
      />
    </div>
  );
}

function QualityMenu({ playback, commands }: Pick<ControlsProps, "playback" | "commands">) {
  const { t } = useTexts();
  const id = useId();
  if (playback.qualities.length < 2) return null;
  return (
    <span className="player__menu button button--quiet button--alone">
      <Icon name="gear" />
      <label className="visually-hidden" htmlFor={id}>
        {t("player.settings")}
      </label>
      <select
        id={id}
        className="player__select"
        value={playback.quality}
        onChange={(event) => commands.chooseQuality(Number(event.currentTarget.value))}
      >
        <option value={-1}>{t("player.auto")}</option>
        {playback.qualities.map(({ index, height }) => (
          <option key={index} value={index}>
            {t("player.quality", { height })}
          </option>
        ))}
      </select>
    </span>
  );
}

/** The row under the picture. Everything is a real control: reachable by tab, named, 44 px. */
export function Controls(props: ControlsProps) {
  const { playback, commands, live, spot, behind, onClip, fullscreen, onFullscreen, onPip } = props;
  const { t } = useTexts();
  const playing = playback.at === "playing";
  const pip = typeof document !== "undefined" && document.pictureInPictureEnabled && !spot;
  return (
    <div className="player__controls">
      {!spot && <SeekBar {...props} />}
      <div className="player__row">
        <Button
          look="quiet"
          icon={playing ? "pause" : "play"}
          label={playing ? t("player.pause") : t("player.play")}
          onClick={playing ? commands.pause : commands.play}
        />
        {!spot && (
          <Button
            look="quiet"
            icon="back10"
            label={t("player.back10")}
            onClick={() => commands.seek(Math.max(playback.start, playback.time - 10))}
          />
        )}
        <Button
          look="quiet"
          icon={playback.muted ? "mute" : "volume"}
          label={playback.muted ? t("player.unmute") : t("player.mute")}
          aria-pressed={playback.muted}
          className="player__mute"
          onClick={commands.toggleMute}
        />
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
        <span className="player__time figures">
          {spot ? (
            playback.end > 0 ? (
              t("player.prerollLeft", { seconds: Math.max(0, Math.ceil(playback.end - playback.time)) })
            ) : (
              t("player.preroll")
            )
          ) : live ? (
            behind === 0 ? (
              t("player.atLive")
            ) : (
              <button type="button" className="player__to-live" onClick={() => commands.seek(playback.end)}>
                {t("player.toLive")}
                <span className="player__behind">−{duration(behind)}</span>
              </button>
            )
          ) : (
            <>
              {duration(playback.time)}
              <span className="player__behind"> / {duration(playback.end)}</span>
            </>
          )}
        </span>
        <span className="player__space" />
        {/* What is known only once the stream has come pushes nothing that can be pressed by then. */}
        {playback.captions !== "none" && (
          <Button
            look="quiet"
            icon="captions"
            label={t("player.captions")}
            aria-pressed={playback.captions === "on"}
            onClick={commands.toggleCaptions}
          />
        )}
        <QualityMenu playback={playback} commands={commands} />
        {onClip && (
          <Button look="second" icon="clip" className="player__clip" onClick={onClip}>
            {t("player.clip")}
          </Button>
        )}
        {pip && <Button look="quiet" icon="pip" label={t("player.pip")} className="player__pip" onClick={onPip} />}
        <Button
          look="quiet"
          icon={fullscreen ? "fullscreenExit" : "fullscreen"}
          label={fullscreen ? t("player.exitFullscreen") : t("player.fullscreen")}
          onClick={onFullscreen}
        />
      </div>
    </div>
  );
}
