import type { Transaction } from "../../contracts/resources";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { Paper, PaperPage } from "./Paper";
import { useCardOf, useKind } from "./useTransactions";
import { YearTotals } from "./YearTotals";

interface StatementProps {
  readonly year: number;
  /** The year's transactions, newest first. */
  readonly lines: readonly Transaction[];
}

/** A year's payments and refunds with receipt numbers, as a document (ORDER-5). */
export function Statement({ year, lines }: StatementProps) {
  const { t } = useTexts();
  const formats = useFormats();
  const kind = useKind();
  const card = useCardOf();
  const title = t("orders.statement", { year });
  return (
    <PaperPage title={title} canPrint>
      <Paper title={title} heading={title} isWide foot={<p>{t("orders.totals")}</p>}>
        <YearTotals lines={lines} />
        <table className="receipt__lines">
          <caption className="visually-hidden">{title}</caption>
          <thead>
            <tr>
              {(["date", "what", "card", "receipt", "total"] as const).map((column) => (
                <th key={column} scope="col">
                  {t(`orders.columns.${column}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {lines.map((line) => {
              const total = formats.money(line.amount, line.currency);
              return (
                <tr key={line.id}>
                  <td className="figures">{formats.shortDate(Date.parse(line.at))}</td>
                  <td>
                    <b>
                      <bdi>{line.product.name}</bdi>
                    </b>
                    <br />
                    {kind(line)}
                    {line.status === "failed" && `. ${t("orders.notCharged")}`}
                  </td>
                  <td className="figures">{card(line)}</td>
                  <td className="figures">{line.receipt}</td>
                  <td className="figures">{line.status === "failed" ? <s>{total}</s> : total}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </Paper>
    </PaperPage>
  );
}
