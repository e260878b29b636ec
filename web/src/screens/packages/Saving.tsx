import { Chip } from "../../components/basic/Badge";
import { useTexts } from "../../i18n/useTexts";

interface SavingProps {
  /** The price of the same games bought separately. */
  readonly singly: string;
  /** Minor units. */
  readonly saved: number;
  readonly money: (minor: number) => string;
}

/** A package's savings over separate purchases; nothing if there are none (PKG-5). */
export function Saving({ singly, saved, money }: SavingProps) {
  const { t } = useTexts();
  if (saved === 0) return null;
  return (
    <p className="team-choice__saving">
      <span className="muted">{t("compare.singly", { price: singly })}</span>
      <Chip tone="success" icon="check">
        {t("compare.youSave", { price: money(saved) })}
      </Chip>
    </p>
  );
}
