import { useTexts } from "../../i18n/useTexts";
import { Chip } from "../basic/Badge";
import { ButtonLink } from "../basic/Button";
import { Touchline } from "../basic/Touchline";
import { type Picture, Poster } from "../picture/Poster";
import "./PackageCard.css";

export interface PackageView {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly text: string;
  readonly price: string;
  /** "every 30 days"; empty for a one-time payment. */
  readonly period: string;
  readonly fee: string | null;
  readonly trial: string | null;
  /** Labelled figures: number of games, end date, savings. */
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  /** A remark on its contents. */
  readonly note: string | null;
  readonly owned: boolean;
  readonly picture: Picture;
  readonly to: string;
  readonly action: string;
}

/** A product with its price, its terms and one button. */
export function PackageCard({ item }: { readonly item: PackageView }) {
  const { t } = useTexts();
  return (
    <article className="package-card">
      <Poster picture={item.picture} square />
      <Touchline state={item.owned ? { kind: "watched", at: 1 } : { kind: "upcoming" }} />
      <div className="package-card__body">
        <p className="type-label">{item.kind}</p>
        <h3 className="package-card__name">
          <bdi>{item.name}</bdi>
        </h3>
        {item.text !== "" && <p className="type-meta muted">{item.text}</p>}
        {item.note !== null && <p className="type-meta">{item.note}</p>}
        {item.facts.length > 0 && (
          <dl className="package-card__facts type-meta">
            {item.facts.map(({ label, value }) => (
              <div key={label}>
                <dt className="muted">{label}</dt>
                <dd className="figures">{value}</dd>
              </div>
            ))}
          </dl>
        )}
        <p className="package-card__price figures">
          <b>{item.price}</b> {item.period}
        </p>
        {item.fee !== null && <p className="type-meta muted figures">{item.fee}</p>}
        {item.trial !== null && !item.owned && (
          <p>
            <Chip tone="success" icon="check">
              {item.trial}
            </Chip>
          </p>
        )}
        <div className="package-card__act">
          {item.owned ? (
            <Chip tone="success" icon="check">
              {t("packages.owned")}
            </Chip>
          ) : (
            <ButtonLink block to={item.to}>
              {item.action}
            </ButtonLink>
          )}
        </div>
      </div>
    </article>
  );
}
