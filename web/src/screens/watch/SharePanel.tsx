import { useId, useState } from "react";
import { Button } from "../../components/basic/Button";
import { Field } from "../../components/form/Field";
import { duration } from "../../i18n/format";
import { useTexts } from "../../i18n/useTexts";
import { useCopy, useShare } from "../useShare";
import { embedCode, FRAMES, type FrameSize } from "./embedCode";
import { momentOf } from "./usePosition";
import "./SharePanel.css";

interface SharePanelProps {
  readonly id: number;
  readonly title: string;
  /** The event's page. */
  readonly path: string;
  /** The recording's position in seconds; null if links can't name one. */
  readonly position: (() => number) | null;
  readonly onClose: () => void;
}

const COPY = {
  path: "M10 14a4 4 0 0 0 5.700 0l3.300-3.300a4 4 0 0 0-5.700-5.700L11.800 6.500M14 10a4 4 0 0 0-5.700 0L5 13.300A4 4 0 0 0 10.700 19l1.500-1.500",
};
const CODE = { path: "M8.500 7L3.500 12l5 5M15.500 7l5 5-5 5" };

/** Shares an event: its link, optionally with a start time, and the embed code (MEDIA-8, ROUTE-3). */
export function SharePanel({ id, title, path, position, onClose }: SharePanelProps) {
  const { t } = useTexts();
  const titleId = useId();
  const share = useShare();
  const [from, setFrom] = useState(() => duration(position?.() ?? 0));
  const [isFrom, setIsFrom] = useState(() => (position?.() ?? 0) > 0);
  const [size, setSize] = useState<FrameSize>("640x360");
  const moment = momentOf(from);
  const address = position && isFrom && moment !== null && moment > 0 ? `${path}?t=${from}` : path;
  const url = new URL(address, window.location.href).href;
  const code = embedCode(id, title, size);
  const copyLink = useCopy(() => url, t("common.linkCopied"));
  const copyCode = useCopy(() => code, t("watch.embedCopied"));
  return (
    <section className="panel share" aria-labelledby={titleId}>
      <div className="share__head">
        <h2 className="type-section" id={titleId}>
          {t("common.share")}
        </h2>
        <Button look="quiet" icon="close" label={t("dialog.close")} onClick={onClose} />
      </div>
      <div className="share__ways">
        <div className="share__way">
          <Field label={t("watch.link")} value={url} readOnly onFocus={({ currentTarget }) => currentTarget.select()} />
          {position && (
            <div className="share__from">
              <label className="share__check">
                <input
                  type="checkbox"
                  checked={isFrom}
                  onChange={({ currentTarget }) => setIsFrom(currentTarget.checked)}
                />
                {t("watch.linkFrom")}
              </label>
              <input
                className="share__moment figures"
                aria-label={t("watch.linkFrom")}
                aria-invalid={isFrom && moment === null}
                value={from}
                disabled={!isFrom}
                onChange={({ currentTarget }) => setFrom(currentTarget.value)}
              />
              <Button
                look="quiet"
                onClick={() => {
                  setFrom(duration(position()));
                  setIsFrom(true);
                }}
              >
                {t("watch.linkNow")}
              </Button>
            </div>
          )}
          <div className="share__acts">
            <Button icon={COPY} onClick={copyLink}>
              {t("watch.copyLink")}
            </Button>
            <a
              className="button button--second"
              href={`mailto:?subject=${encodeURIComponent(title)}&body=${encodeURIComponent(url)}`}
            >
              {t("watch.mail")}
            </a>
            {"share" in navigator && (
              <Button icon="share" onClick={() => share(title, address)}>
                {t("watch.otherApps")}
              </Button>
            )}
          </div>
        </div>
        <div className="share__way">
          <p className="share__label">
            <b>{t("watch.embedTitle")}</b>
            <span className="muted">{t("watch.embedText")}</span>
          </p>
          <code className="share__code">{code}</code>
          <div className="share__acts">
            <select
              className="share__size"
              aria-label={t("watch.frameSize")}
              value={size}
              onChange={({ currentTarget }) => setSize(currentTarget.value as FrameSize)}
            >
              {FRAMES.map((frame) => (
                <option key={frame} value={frame}>
                  {frame === "fit" ? t("watch.frameFits") : frame.replace("x", " × ")}
                </option>
              ))}
            </select>
            <Button icon={CODE} onClick={copyCode}>
              {t("watch.embed")}
            </Button>
          </div>
        </div>
      </div>
    </section>
  );
}
