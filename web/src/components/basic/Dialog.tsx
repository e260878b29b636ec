import { type ReactNode, useContext, useId, useLayoutEffect, useRef } from "react";
import { useTexts } from "../../i18n/useTexts";
import { ReportContext } from "../shell/report";
import { Button } from "./Button";
import "./Dialog.css";

interface DialogProps {
  readonly title: ReactNode;
  readonly subtitle?: ReactNode;
  readonly children: ReactNode;
  /** Called on Escape, Back and the close button: leaving is always safe. */
  readonly onClose: () => void;
  /** Hides the close button, if the dialog's own buttons explain what leaving means. */
  readonly bare?: boolean;
  /** Its text changes while it is open and is announced. */
  readonly live?: boolean;
}

/**
 * A bottom sheet on compact screens, centred on larger ones. Uses the browser's modal dialog, which traps and restores
 * the focus, makes the rest inert and closes on Escape and, where supported, on the Back gesture. The page's report
 * link is unreachable while it is open, so each dialog has one (OPS-5).
 */
export function Dialog({ title, subtitle, children, onClose, bare, live }: DialogProps) {
  const { t } = useTexts();
  const id = useId();
  const reportProblem = useContext(ReportContext);
  const element = useRef<HTMLDialogElement>(null);
  const report = useRef<HTMLButtonElement>(null);
  // Closed while still in the page: a removed dialog doesn't restore the focus.
  useLayoutEffect(() => {
    const dialog = element.current;
    if (dialog && !dialog.open) {
      dialog.showModal();
      // If the report link is the only control, the dialog itself gets the focus.
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
          {subtitle !== undefined && (
            <p className="muted">
              <bdi>{subtitle}</bdi>
            </p>
          )}
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
