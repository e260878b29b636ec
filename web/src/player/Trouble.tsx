import { useState } from "react";
import { Button } from "../components/basic/Button";
import { Icon } from "../components/basic/Icon";
import { useDeviceNow } from "../components/basic/now";
import { useTexts } from "../i18n/useTexts";
import type { Playback } from "./playback";
import { FAILURE_DELAY } from "./useVideo";
import "./Trouble.css";

/** Shorter waits show no text, in milliseconds. */
const SILENT_FOR = 2_000;

interface TroubleProps {
  readonly playback: Playback;
  readonly onRetry: () => void;
}

/** Explains why the picture is frozen, and offers a retry. The player also retries on its own. */
export function Trouble({ playback, onRetry }: TroubleProps) {
  const { t } = useTexts();
  const { at, waiting, buffering } = playback;
  const isInterrupted = at === "failed" || at === "loading" || buffering;
  if (!isInterrupted) return null;
  if (at !== "failed" && waiting === null) return <Ring label={t("player.buffering")} />;
  return <Message waiting={waiting} failed={at === "failed"} onRetry={onRetry} />;
}

function Ring({ label }: { readonly label: string }) {
  return (
    <div className="player__message" role="status">
      <span className="player__ring" aria-hidden="true" />
      <span className="visually-hidden">{label}</span>
    </div>
  );
}

function Message({
  waiting,
  failed,
  onRetry,
}: Pick<Playback, "waiting"> & { readonly failed: boolean; readonly onRetry: () => void }) {
  const { t } = useTexts();
  const now = useDeviceNow(1_000);
  const [mounted] = useState(now);
  const lasted = now - (waiting?.since ?? mounted);
  if (!failed && lasted < SILENT_FOR) return <Ring label={t("player.buffering")} />;
  const lost = failed || lasted >= FAILURE_DELAY;
  return (
    <div className="player__message player__message--words" role={failed ? "alert" : "status"}>
      <Icon name={failed ? "alert" : "offline"} size="large" />
      <p>{t(lost || waiting === null ? "player.error" : `player.missing.${waiting.missing}`)}</p>
      <Button look="chalk" icon="refresh" onClick={onRetry}>
        {t("player.retry")}
      </Button>
    </div>
  );
}
