import { useId } from "react";
import { Button, ButtonLink } from "../../components/basic/Button";
import { Notice } from "../../components/basic/Notice";
import { first } from "../../i18n/en";
import { sentence } from "../../i18n/sentence";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { selectClipInProgress } from "../../slices/clip";
import { selectOnline } from "../../slices/network";
import { useAppSelector } from "../state";
import { useReveal } from "./useReveal";
import "./ClipMaker.css";

interface ClipProgressProps {
  /** Id of the clip being created. */
  readonly making: string;
  readonly onClose: () => void;
}

/** The progress of the requested clip, in place of the form (CLIP-2). */
export function ClipProgress({ making, onClose }: ClipProgressProps) {
  const { t } = useTexts();
  const id = useId();
  const heading = useReveal();
  const clip = useAppSelector(selectClipInProgress(making));
  const online = useAppSelector(selectOnline);
  if (clip.at === "draft") return null;
  const title = clip.at === "ready" ? "clips.isReady" : clip.at === "failed" ? "clips.notMade" : "clips.onItsWay";
  return (
    <section className="panel stack" aria-labelledby={id}>
      <div className="clip-maker__head">
        <h2 className="type-section" id={id} ref={heading} tabIndex={-1}>
          {t(title)}
        </h2>
        <Button look="quiet" icon="close" label={t("dialog.close")} onClick={onClose} />
      </div>
      {clip.at === "failed" ? (
        <Notice tone="danger" alert>
          <b>
            <bdi>{clip.request.name}</bdi>
          </b>
          : {sentence(t, clip.message)}
          {clip.message === first.server.emailUnverified && (
            <p>
              <ButtonLink size="small" to={linkTo("verifyNotice")}>
                {t("verify.toNotice")}
              </ButtonLink>
            </p>
          )}
        </Notice>
      ) : (
        <p role="status">
          <b>
            <bdi>{clip.request.name}</bdi>
          </b>
          :{" "}
          {clip.at === "ready"
            ? t("clips.inProfile")
            : clip.at === "submitting" && !online
              ? t("clips.whenBack")
              : clip.late
                ? t("clips.late")
                : t(clip.at === "submitting" ? "clips.sending" : "clips.within")}
        </p>
      )}
      <ButtonLink icon="clip" to={linkTo("clips")}>
        {t("profile.clips")}
      </ButtonLink>
    </section>
  );
}
