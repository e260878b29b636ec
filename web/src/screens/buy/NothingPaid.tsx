import { Button } from "../../components/basic/Button";
import { Dialog } from "../../components/basic/Dialog";
import { Touchline } from "../../components/basic/Touchline";
import { sentence } from "../../i18n/sentence";
import { useTexts } from "../../i18n/useTexts";
import { INTERRUPTED } from "../../machines/purchaseChoice";

interface NothingPaidProps {
  readonly onRetry: () => void;
  readonly onLeave: () => void;
  /** Label of the button that leaves. */
  readonly leave: string;
}

/** An interruption before the card was entered, the only one after which no payment is certain (PAY-12). */
export function NothingPaid({ onRetry, onLeave, leave }: NothingPaidProps) {
  const { t } = useTexts();
  return (
    <Dialog title={t("paying.nothingPaid")} subtitle={sentence(t, INTERRUPTED.message)} onClose={onLeave} bare>
      <Touchline state={{ kind: "steps", steps: ["failed", "todo", "todo", "todo"], at: 0.5 }} thick />
      <div className="dialog__acts">
        <Button look="primary" icon="refresh" onClick={onRetry}>
          {t("paying.tryAgain")}
        </Button>
        <Button onClick={onLeave}>{leave}</Button>
      </div>
      <p className="type-meta muted">{t("buy.final")}</p>
    </Dialog>
  );
}
