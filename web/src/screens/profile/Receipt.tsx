import { useParams } from "react-router";
import { Button, ButtonLink } from "../../components/basic/Button";
import { Empty } from "../../components/basic/Empty";
import { RowSkeletons } from "../../components/basic/Skeleton";
import type { Transaction } from "../../contracts/resources";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { selectSettings } from "../../slices/catalogue";
import { FailedRead } from "../FailedRead";
import { useDocumentTitle } from "../shell/useDocumentTitle";
import { useAppSelector } from "../state";
import { usePerson } from "../useAccount";
import "./Receipt.css";
import { chargeOf, useCardOf, useKind, useTransactions } from "./useTransactions";

/** The sheet itself: white paper and dark ink in every channel, as it prints. */
function Sheet({ line }: { readonly line: Transaction }) {
  const { t } = useTexts();
  const formats = useFormats();
  const kind = useKind();
  const card = useCardOf();
  const person = usePerson();
  const settings = useAppSelector(selectSettings);
  const seller = settings?.seller;
  const isBack = line.amount < 0;
  const { currency, discount, fee, amount } = line;
  const receipt = line.receipt ?? "";
  const money = (minor: number) => formats.money(minor, currency);
  const at = Date.parse(line.at);
  const order = line.order_id;
  return (
    <article className="receipt" aria-label={t("orders.receipt.title", { number: receipt })}>
      <header className="receipt__head">
        <b>{settings?.name}</b>
        <div>
          <h2>{isBack ? t("orders.receipt.refund") : t("orders.receipt.heading")}</h2>
          <span className="figures">{receipt}</span>
        </div>
      </header>
      <dl className="receipt__facts">
        <div>
          <dt>{t("orders.receipt.soldTo")}</dt>
          <dd>{person && `${person.first_name} ${person.last_name}`}</dd>
          <dd>{person?.email}</dd>
        </div>
        <div>
          <dt>{isBack ? t("orders.receipt.sentBack") : t("orders.receipt.paid")}</dt>
          <dd>
            {formats.date(at)}, {formats.time(at)}
          </dd>
          {line.of_receipt && <dd className="figures">{t("orders.receipt.of", { number: line.of_receipt })}</dd>}
        </div>
        <div>
          <dt>{t("orders.receipt.paidWith")}</dt>
          <dd className="figures">{card(line)}</dd>
        </div>
        <div>
          <dt>{t("orders.receipt.soldBy")}</dt>
          <dd>{seller?.name ?? settings?.name}</dd>
          {seller && <dd className="receipt__address">{seller.address}</dd>}
        </div>
      </dl>
      <table className="receipt__lines">
        <caption className="visually-hidden">{t("orders.receipt.what")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("orders.receipt.for")}</th>
            <th scope="col">{t("orders.receipt.amount")}</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <td>
              <b>{line.product.name}</b>
              <br />
              {kind(line)}
            </td>
            <td className="figures">{money(amount - fee + discount)}</td>
          </tr>
          {discount > 0 && (
            <tr>
              <td>{t("orders.receipt.discount")}</td>
              <td className="figures">{money(-discount)}</td>
            </tr>
          )}
          <tr>
            <td>
              {t("orders.receipt.fee")}
              <br />
              <small>{t("orders.receipt.feeText")}</small>
            </td>
            <td className="figures">{money(fee)}</td>
          </tr>
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t(isBack ? "orders.receipt.totalBack" : "orders.receipt.total", { currency })}</th>
            <td className="figures">{money(amount)}</td>
          </tr>
        </tfoot>
      </table>
      <footer className="receipt__foot">
        <p>{t("orders.receipt.final")}</p>
        <p className="figures">
          {seller?.contact
            ? t("orders.receipt.questions", { email: seller.contact, number: receipt, order })
            : t("orders.receipt.number", { order })}
        </p>
      </footer>
    </article>
  );
}

/** One receipt, to read and to print. */
export function Component() {
  const { t } = useTexts();
  const { id } = useParams();
  const { at, retry, lines } = useTransactions();
  const line = lines?.find((one) => one.receipt && String(chargeOf(one)) === id);
  const number = line?.receipt ?? "";
  const title = line ? t("orders.receipt.title", { number }) : t("profile.transactions");
  useDocumentTitle(title);
  return (
    <div className="wrap receipt-page">
      <div className="receipt-page__tools">
        <ButtonLink look="quiet" to={linkTo("transactions")}>
          {t("profile.transactions")}
        </ButtonLink>
        <h1 className="type-page">{title}</h1>
        {line && <Button onClick={() => window.print()}>{t("orders.receipt.print")}</Button>}
      </div>
      {line ? (
        <Sheet line={line} />
      ) : at === "failed" ? (
        <FailedRead onRetry={retry} />
      ) : at !== "loaded" ? (
        <RowSkeletons count={5} />
      ) : (
        <Empty title={t("orders.receipt.none")} text={t("orders.noTransactionsText")}>
          <ButtonLink to={linkTo("transactions")}>{t("profile.transactions")}</ButtonLink>
        </Empty>
      )}
    </div>
  );
}
