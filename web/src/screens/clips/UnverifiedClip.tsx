import { useId } from "react";
import { Button, ButtonLink } from "../../components/basic/Button";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { usePerson } from "../useAccount";
import { useReveal } from "./useReveal";
import "./ClipMaker.css";

interface UnverifiedClipProps {
  /** Number of times the form was opened. */
  readonly times: number;
  readonly onClose: () => void;
}

/** Replaces the form until the viewer's email is confirmed (CLIP-5). */
export function UnverifiedClip({ times, onClose }: UnverifiedClipProps) {
  const { t } = useTexts();
  const id = useId();
  const heading = useReveal(times);
  const email = usePerson()?.email ?? "";
  return (
    <section className="panel stack" aria-labelledby={id}>
      <div className="clip-maker__head">
        <h2 className="type-section" id={id} ref={heading} tabIndex={-1}>
          {t("verify.first")}
        </h2>
        <Button look="quiet" icon="close" label={t("dialog.close")} onClick={onClose} />
      </div>
      <p>{t("verify.beforeClips", { email })}</p>
      <ButtonLink look="primary" block to={linkTo("verifyNotice")}>
        {t("verify.toNotice")}
      </ButtonLink>
    </section>
  );
}
