import { type ReactNode, useContext, useId, useLayoutEffect, useRef } from "react";
import { useTexts } from "../../i18n/useTexts";
import { ReportContext } from "../shell/report";
import { Button } from "./Button";
import "./Dialog.css";

interface DialogProps {
  readonly title: ReactNode;
  readonly subtitle?: ReactNode;
  readonly children: ReactNode;
  /** Escape, Back and the close button: leaving is always safe. */
  readonly onClose: () => void;
  /** Without a close button, where the dialog's own buttons say what leaving means. */
  readonly bare?: boolean;
  /** Its words change while it is open, and are read out as they do. */
  readonly live?: boolean;
}

/**
 * A sheet from the bottom on compact screens, centred above. The browser's own modal dialog: it keeps the focus inside,
 * makes the rest inert, closes on Escape and (where the platform has it) on the Back gesture, and gives the focus back.
 * The page's own way to report a problem is out of reach meanwhile: each dialog has one (OPS-5).
 */
export function Dialog({ title, subtitle, children, onClose, bare, live }: DialogProps) {
  const { t } = useTexts();
  const id = useId();
  const reportProblem = useContext(ReportContext);
  const element = useRef<HTMLDialogElement>(null);
  const report = useRef<HTMLButtonElement>(null);
  // Closed while it is still in the page: one that is gone from it gives no focus back.
  useLayoutEffect(() => {
    const dialog = element.current;
    if (dialog && !dialog.open) {
      dialog.showModal();
      // Nobody opened it in order to report a problem: where nothing else can be pressed, the focus is the dialog's.
      if (document.activeElement === report.current) dialog.focus();
    }
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      className="dialog"
      tabIndex={-1}
      aria-labelledby={`${id}title`}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div className="dialog__head">
        <div className="dialog__title" role={live ? "status" : undefined}>
          <h2 className="type-section" id={`${id}title`}>
            {title}
          </h2>
          {subtitle !== undefined && <p className="muted">{subtitle}</p>}
        </div>
        {!bare && <Button look="quiet" icon="close" label={t("dialog.close")} onClick={onClose} />}
      </div>
      {children}
      {reportProblem && (
        <button ref={report} type="button" className="dialog__report type-meta muted" onClick={reportProblem}>
          {t("footer.report")}
        </button>
      )}
    </dialog>
  );
}
