import { useTexts } from "../../i18n/useTexts";
import "./Skeleton.css";

/** Placeholders with the geometry of the cards that will replace them. */
export function CardSkeletons({ count, rail }: { readonly count: number; readonly rail?: boolean }) {
  const { t } = useTexts();
  return (
    <div className={rail ? "rail__list" : "card-grid"} role="status" aria-label={t("common.loading")}>
      {Array.from({ length: count }, (_, index) => (
        <div className={rail ? "rail__item skeleton" : "skeleton"} key={index} aria-hidden="true">
          <div>
            <div className="skeleton__picture" />
            <div className="skeleton__title" />
            <div className="skeleton__meta" />
          </div>
        </div>
      ))}
    </div>
  );
}

export function RowSkeletons({ count }: { readonly count: number }) {
  const { t } = useTexts();
  return (
    <div role="status" aria-label={t("common.loading")}>
      {Array.from({ length: count }, (_, index) => (
        <div className="skeleton__row" key={index} aria-hidden="true">
          <div className="skeleton__title" />
        </div>
      ))}
    </div>
  );
}
