import type { Transaction } from "../../contracts/resources";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { sumsOf } from "./transactionSums";

export function YearTotals({ lines }: { readonly lines: readonly Transaction[] }) {
  const { t } = useTexts();
  const formats = useFormats();
  return sumsOf(lines).map(({ currency, charged, sentBack, fees }) => {
    const money = (minor: number) => formats.money(minor, currency);
    return (
      <dl key={currency} className="year-totals figures">
        {(
          [
            ["charged", charged],
            ["sentBack", sentBack],
            ["paidInAll", charged - sentBack],
            ["fees", fees],
          ] as const
        ).map(([name, minor]) => (
          <div key={name}>
            <dt>{t(`orders.sums.${name}`)}</dt>
            <dd>{money(minor)}</dd>
          </div>
        ))}
      </dl>
    );
  });
}
