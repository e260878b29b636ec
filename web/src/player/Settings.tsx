import { type ReactNode, useId } from "react";
import { Button } from "../components/basic/Button";
import { useTexts } from "../i18n/useTexts";
import { type AudioTrack, audioKey, audioLabel } from "./audioTracks";
import { LOOKS, PARTS, useCaptionLook } from "./captionLook";
import { DRAWINGS } from "./icons";
import { ratesOf } from "./keys";
import { PlayerPanel } from "./PlayerPanel";
import type { Playback } from "./playback";
import type { Captions } from "./useCaptions";
import type { PictureInPicture } from "./usePictureInPicture";
import type { VideoCommands } from "./useVideo";
import "./Settings.css";

interface SettingsProps {
  readonly playback: Playback;
  readonly commands: VideoCommands;
  readonly captions: Captions;
  /** Stores the chosen audio track. */
  readonly onAudio: (track: AudioTrack) => void;
  readonly live: boolean;
  readonly pip: PictureInPicture | undefined;
  readonly onClose: () => void;
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly children: ReactNode;
}

function Choice({ label, value, onChange, children }: ChoiceProps) {
  const id = useId();
  return (
    <div className="player__choice">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {children}
      </select>
    </div>
  );
}

/** Playback settings: quality, audio, speed, captions and their style. Escape closes them. */
export function Settings({ playback, commands, captions, onAudio, live, pip, onClose }: SettingsProps) {
  const { t, language } = useTexts();
  const [look, setLook] = useCaptionLook();
  return (
    <PlayerPanel title={t("player.settings")} className="player__settings" focus="select" onClose={onClose}>
      {playback.qualities.length > 1 && (
        <Choice
          label={t("player.qualities")}
          value={String(playback.quality)}
          onChange={(value) => commands.chooseQuality(Number(value))}
        >
          <option value="-1">{t("player.auto")}</option>
          {playback.qualities.map(({ index, height }) => (
            <option key={index} value={index}>
              {t("player.quality", { height })}
            </option>
          ))}
        </Choice>
      )}
      {playback.audioTracks.length > 1 && (
        <Choice
          label={t("player.audio")}
          value={String(playback.audioTrack)}
          onChange={(value) => {
            commands.chooseAudio(Number(value));
            const track = playback.audioTracks[Number(value)];
            if (track) onAudio(track);
          }}
        >
          {playback.audioTracks.map((track, index) => (
            <option key={audioKey(track)} value={index}>
              {audioLabel(track, language, t("player.described"))}
            </option>
          ))}
        </Choice>
      )}
      <Choice
        label={t("player.playsAt")}
        value={String(playback.rate)}
        onChange={(value) => commands.setRate(Number(value))}
      >
        {ratesOf(live).map((rate) => (
          <option key={rate} value={rate}>
            {t("player.rate", { rate })}
          </option>
        ))}
      </Choice>
      {captions.tracks.length > 0 && (
        <>
          <Choice
            label={t("player.captionLanguage")}
            value={captions.language ?? ""}
            onChange={(value) => captions.choose(value === "" ? null : value)}
          >
            <option value="">{t("player.captionsOff")}</option>
            {captions.tracks.map(({ language, label }) => (
              <option key={language} value={language}>
                {label}
              </option>
            ))}
          </Choice>
          {PARTS.map((part) => (
            <Choice
              key={part}
              label={t(`player.look.${part}`)}
              value={look[part]}
              onChange={(value) => setLook(part, value)}
            >
              {LOOKS[part].map((choice) => (
                <option key={choice} value={choice}>
                  {t(`player.look.${choice}`)}
                </option>
              ))}
            </Choice>
          ))}
        </>
      )}
      {/* A narrow picture has no room for its button. */}
      {pip && (
        <Button look="chalk" icon={DRAWINGS.pip} className="player__pip-choice" onClick={pip.toggle}>
          {pip.on ? t("player.exitPip") : t("player.pip")}
        </Button>
      )}
    </PlayerPanel>
  );
}
