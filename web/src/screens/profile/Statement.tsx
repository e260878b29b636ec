import { Button, ButtonLink } from "../../components/basic/Button";
import type { Transaction } from "../../contracts/resources";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { selectSettings } from "../../slices/catalogue";
import { useDocumentTitle } from "../shell/useDocumentTitle";
import { useAppSelector } from "../state";
import { usePerson } from "../useAccount";
import { useCardOf, useKind } from "./useTransactions";
import { YearTotals } from "./YearTotals";
import "./Receipt.css";

interface StatementProps {
  readonly year: number;
  /** Of the year, newest first. */
  readonly lines: readonly Transaction[];
}

/** Everything that was paid and given back in a year, with each receipt's number, on paper (ORDER-5). */
export function Statement({ year, lines }: StatementProps) {
  const { t } = useTexts();
  const formats = useFormats();
  const kind = useKind();
  const card = useCardOf();
  const person = usePerson();
  const settings = useAppSelector(selectSettings);
  const seller = settings?.seller;
  const title = t("orders.statement", { year });
  useDocumentTitle(title);
  return (
    <div className="wrap receipt-page">
      <div className="receipt-page__tools">
        <ButtonLink look="quiet" to={linkTo("transactions")}>
          {t("profile.transactions")}
        </ButtonLink>
        <h1 className="type-page">{title}</h1>
        <Button onClick={() => window.print()}>{t("orders.receipt.print")}</Button>
      </div>
      <article className="receipt receipt--wide" aria-label={title}>
        <header className="receipt__head">
          <b>{settings?.name}</b>
          <div>
            <h2>{title}</h2>
          </div>
        </header>
        <dl className="receipt__facts">
          <div>
            <dt>{t("orders.receipt.soldTo")}</dt>
            <dd>{person && `${person.first_name} ${person.last_name}`}</dd>
            <dd>{person?.email}</dd>
          </div>
          <div>
            <dt>{t("orders.receipt.soldBy")}</dt>
            <dd>{seller?.name ?? settings?.name}</dd>
            {seller && <dd className="receipt__address">{seller.address}</dd>}
          </div>
        </dl>
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
                    <b>{line.product.name}</b>
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
        <footer className="receipt__foot">
          <p>{t("orders.totals")}</p>
        </footer>
      </article>
    </div>
  );
}
