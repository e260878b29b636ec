import { useParams } from "react-router";
import { ButtonLink } from "../../components/basic/Button";
import { Empty } from "../../components/basic/Empty";
import { RowSkeletons } from "../../components/basic/Skeleton";
import type { Transaction } from "../../contracts/resources";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { selectSettings } from "../../slices/catalogue";
import { FailedRead } from "../FailedRead";
import { useAppSelector } from "../state";
import { Paper, PaperPage } from "./Paper";
import { useTitled } from "./useTitled";
import { chargeOf, useCardOf, useKind, useTransactions } from "./useTransactions";

function Sheet({ line }: { readonly line: Transaction }) {
  const { t } = useTexts();
  const formats = useFormats();
  const kind = useKind();
  const card = useCardOf();
  const seller = useAppSelector(selectSettings)?.seller;
  const isBack = line.amount < 0;
  const { currency, discount, fee, amount } = line;
  const receipt = line.receipt ?? "";
  const money = (minor: number) => formats.money(minor, currency);
  const at = Date.parse(line.at);
  const order = line.order_id;
  return (
    <Paper
      title={t("orders.receipt.title", { number: receipt })}
      heading={isBack ? t("orders.receipt.refund") : t("orders.receipt.heading")}
      number={receipt}
      facts={
        <>
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
        </>
      }
      foot={
        <>
          {!isBack && <p>{t("orders.receipt.final")}</p>}
          <p className="figures">
            {seller?.contact
              ? t("orders.receipt.questions", { email: seller.contact, number: receipt, order })
              : t("orders.receipt.number", { order })}
          </p>
        </>
      }
    >
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
              <b>
                <bdi>{line.product.name}</bdi>
              </b>
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
    </Paper>
  );
}

/** A printable receipt. */
export function Component() {
  const { t } = useTexts();
  const { id } = useParams();
  const { at, retry, lines: bought } = useTransactions();
  const lines = useTitled(bought);
  const line = lines?.find((one) => one.receipt && String(chargeOf(one)) === id);
  const number = line?.receipt ?? "";
  const title = line ? t("orders.receipt.title", { number }) : t("profile.transactions");
  return (
    <PaperPage title={title} canPrint={line !== undefined}>
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
    </PaperPage>
  );
}
