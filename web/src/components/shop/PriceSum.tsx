import "./PriceSum.css";

export interface SumLine {
  readonly key: string;
  readonly label: string;
  readonly amount: string;
  /** A former price. */
  readonly struck?: boolean;
}

interface PriceSumProps {
  readonly lines: readonly SumLine[];
  readonly total: { readonly label: string; readonly amount: string };
}

/** The price breakdown above the button: each part, then the total. */
export function PriceSum({ lines, total }: PriceSumProps) {
  return (
    <dl className="price-sum figures">
      {lines.map((line) => (
        <div className="price-sum__line" key={line.key}>
          <dt>{line.label}</dt>
          <dd>{line.struck ? <s>{line.amount}</s> : line.amount}</dd>
        </div>
      ))}
      <div className="price-sum__line price-sum__line--total" aria-live="polite">
        <dt>{total.label}</dt>
        <dd>{total.amount}</dd>
      </div>
    </dl>
  );
}
