import { Link, useSearchParams } from "react-router";
import { Chip } from "../../components/basic/Badge";
import { Button, ButtonLink } from "../../components/basic/Button";
import { Empty } from "../../components/basic/Empty";
import type { IconName } from "../../components/basic/icons";
import { RowSkeletons } from "../../components/basic/Skeleton";
import { saveFile } from "../../components/basic/saveFile";
import type { Transaction } from "../../contracts/resources";
import { sentence } from "../../i18n/sentence";
import type { TextKey } from "../../i18n/texts";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { FailedRead } from "../FailedRead";
import { useEntryState } from "../shell/entryState";
import { ProfilePage } from "./ProfilePage";
import { Statement } from "./Statement";
import { groupOf, isFree, type LineGroup, sumsOf, yearOf } from "./transactionSums";
import { type Headings, transactionsCsv } from "./transactionsCsv";
import { useTitled } from "./useTitled";
import { chargeOf, useCardOf, useKind, useTransactions } from "./useTransactions";
import { YearTotals } from "./YearTotals";
import "../../components/form/Filter.css";
import "./Transactions.css";

interface Look {
  readonly tone: "success" | "info" | "plain" | "danger";
  readonly icon: IconName;
  readonly word: TextKey;
}

/** A transaction's status. A fully refunded payment is refunded, any other refund is partial. */
function lookOf({ kind, status, amount, refunded = 0 }: Transaction): Look {
  if (status === "failed") return { tone: "danger", icon: "alert", word: "state.failed" };
  if (status === "pending") return { tone: "plain", icon: "clock", word: "orders.lineState.pending" };
  if (isFree({ kind })) return { tone: "plain", icon: "clock", word: "orders.lineState.trial" };
  if (kind === "refund_failed") return { tone: "info", icon: "refresh", word: "orders.lineState.cameBack" };
  if (amount < 0) return { tone: "info", icon: "refresh", word: "orders.lineState.sentBack" };
  if (refunded > 0 && refunded < amount)
    return { tone: "info", icon: "refresh", word: "orders.lineState.partRefunded" };
  if (refunded > 0) return { tone: "info", icon: "refresh", word: "state.refunded" };
  return { tone: "success", icon: "check", word: "state.paid" };
}

/** A transaction's note: the reason of a failure, the refunded receipt, or the refunded amount. */
function useNote({ kind, status, failure, amount, refunded = 0, of_receipt, currency }: Transaction): string | null {
  const { t } = useTexts();
  const formats = useFormats();
  if (kind === "refund_failed" || (status === "failed" && amount < 0)) return t("orders.refundFailed");
  if (status === "failed") return `${failure ? `${sentence(t, failure)} ` : ""}${t("orders.notCharged")}`;
  if (of_receipt) return t("orders.receipt.of", { number: of_receipt });
  if (refunded > 0 && refunded < amount) {
    return t("orders.wentBack", { amount: formats.money(refunded, currency) });
  }
  return null;
}

function Line({ line }: { readonly line: Transaction }) {
  const { t } = useTexts();
  const formats = useFormats();
  const kind = useKind();
  const card = useCardOf();
  const { tone, icon, word } = lookOf(line);
  const money = (minor: number) => {
    const text = formats.money(minor, line.currency);
    return line.status === "failed" ? <s>{text}</s> : text;
  };
  const note = useNote(line);
  return (
    <tr>
      <td className="transactions__date figures">{formats.shortDate(Date.parse(line.at))}</td>
      <td className="transactions__what">
        <b>
          <bdi>{line.product.name}</bdi>
        </b>
        {note !== null && <small className="transactions__why figures">{note}</small>}
      </td>
      <td className="transactions__kind">{kind(line)}</td>
      <td className="transactions__card figures">{isFree(line) ? t("orders.noCard") : card(line)}</td>
      <td className="transactions__state">
        <Chip tone={tone} icon={icon}>
          {t(word)}
        </Chip>
      </td>
      <td className="transactions__fee figures">{money(line.amount - line.fee)}</td>
      <td className="transactions__fee figures">{money(line.fee)}</td>
      <td className="transactions__total figures">{money(line.amount)}</td>
      <td className="transactions__receipt">
        {line.status === "failed" && line.amount > 0 && (
          <Link className="link" to={linkTo("activeOrders")}>
            {t("cards.title")}
          </Link>
        )}
        {line.receipt && (
          <Link
            className="link figures"
            to={linkTo("receipt", { id: chargeOf(line) })}
            aria-label={t("orders.openNamed", { number: line.receipt })}
          >
            {line.receipt}
          </Link>
        )}
      </td>
    </tr>
  );
}

const COLUMNS = ["date", "what", "kind", "card", "state", "amount", "fee", "total", "receipt"] as const;
const RIGHT = new Set<string>(["amount", "fee", "total"]);
const GROUPS = ["charges", "refunds", "failed", "free"] as const;

/** Charges, renewals, refunds and failed renewals, by year, newest first (ORDER-5). */
export function Component() {
  const { at, retry, lines: bought } = useTransactions();
  const lines = useTitled(bought);
  const [params] = useSearchParams();
  const year = Number(params.get("statement"));
  const ofYear = lines?.filter((line) => yearOf(line) === year) ?? [];
  if (ofYear.length > 0) return <Statement year={year} lines={ofYear} />;
  return <Listed at={at} retry={retry} lines={lines} />;
}

function Listed({ at, retry, lines }: ReturnType<typeof useTransactions>) {
  const { t } = useTexts();
  return (
    <ProfilePage title={t("profile.transactions")}>
      {lines !== null && lines.length > 0 ? (
        <Years lines={lines} />
      ) : lines === null && at === "failed" ? (
        <FailedRead onRetry={retry} />
      ) : lines === null && at !== "loaded" ? (
        <RowSkeletons count={5} />
      ) : (
        <Empty title={t("orders.noTransactions")} text={t("orders.noTransactionsText")}>
          <ButtonLink to={linkTo("packages")}>{t("list.seePackages")}</ButtonLink>
        </Empty>
      )}
    </ProfilePage>
  );
}

/** Totals of the year; only for a single currency. */
function YearFoot({ year, lines }: { readonly year: number; readonly lines: readonly Transaction[] }) {
  const { t } = useTexts();
  const formats = useFormats();
  const [sums, other] = sumsOf(lines);
  if (sums === undefined || other !== undefined) return null;
  const total = sums.charged - sums.sentBack;
  const money = (minor: number) => formats.money(minor, sums.currency);
  return (
    <tfoot>
      <tr className="transactions__foot">
        <th scope="row" colSpan={5}>
          {t("orders.yearTotal", { year })}
        </th>
        <td className="transactions__fee figures">{money(total - sums.fees)}</td>
        <td className="transactions__fee figures">{money(sums.fees)}</td>
        <td className="transactions__total figures">{money(total)}</td>
        <td />
      </tr>
    </tfoot>
  );
}

/** Downloads a year's transactions for a spreadsheet (ORDER-5). */
function CsvPress({ year, lines }: { readonly year: number; readonly lines: readonly Transaction[] }) {
  const { t } = useTexts();
  const kind = useKind();
  const card = useCardOf();
  const press = () => {
    const named = COLUMNS.map((column) => [column, t(`orders.columns.${column}`)] as const);
    const headings = { ...Object.fromEntries(named), currency: t("orders.columns.currency") } as Headings;
    const labelsOf = (line: Transaction) => ({ kind: kind(line), card: card(line), state: t(lookOf(line).word) });
    saveFile(`transactions-${year}.csv`, "text/csv;charset=utf-8", transactionsCsv(lines, headings, labelsOf));
  };
  return (
    <Button icon="download" onClick={press}>
      {t("orders.csv", { year })}
    </Button>
  );
}

/** A year's transactions, optionally of one type. */
function Years({ lines }: { readonly lines: readonly Transaction[] }) {
  const { t } = useTexts();
  const years = [...new Set(lines.map(yearOf))].sort((a, b) => b - a);
  const [picked, setPicked] = useEntryState<number | null>("year", null);
  const [group, setGroup] = useEntryState<LineGroup | null>("group", null);
  const year = picked !== null && years.includes(picked) ? picked : (years[0] ?? 0);
  const ofYear = lines.filter((line) => yearOf(line) === year);
  const countOf = (one: LineGroup) => ofYear.filter((line) => groupOf(line) === one).length;
  // The selected type may not occur in this year.
  const selected = group !== null && countOf(group) > 0 ? group : null;
  const filter = (value: LineGroup | null, count: number) => (
    <button
      key={value ?? "all"}
      type="button"
      className={`filter${selected === value ? " filter--set" : ""}`}
      aria-pressed={selected === value}
      onClick={() => setGroup(value)}
    >
      {t(`orders.groups.${value ?? "all"}`)} <span className="figures muted">{count}</span>
    </button>
  );
  return (
    <>
      <div className="transactions-tools">
        <label className="field__box">
          <span className="visually-hidden">{t("orders.year")}</span>
          <select
            className="field__input figures"
            value={year}
            onChange={({ currentTarget }) => setPicked(Number(currentTarget.value))}
          >
            {years.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <fieldset className="transactions-filters" aria-label={t("orders.columns.kind")}>
          {filter(null, ofYear.length)}
          {GROUPS.map((one) => [one, countOf(one)] as const)
            .filter(([, count]) => count > 0)
            .map(([one, count]) => filter(one, count))}
        </fieldset>
        <div className="transactions-files">
          <CsvPress year={year} lines={ofYear} />
          <ButtonLink to={`${linkTo("transactions")}?statement=${year}`}>{t("orders.statement", { year })}</ButtonLink>
        </div>
      </div>
      <YearTotals lines={ofYear} />
      <table className="transactions">
        <caption className="visually-hidden">{t("orders.ofYear", { year })}</caption>
        <thead>
          <tr>
            {COLUMNS.map((column) => (
              <th key={column} scope="col" className={`type-label${RIGHT.has(column) ? " transactions__total" : ""}`}>
                {t(`orders.columns.${column}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ofYear
            .filter((line) => selected === null || groupOf(line) === selected)
            .map((line) => (
              <Line key={line.id} line={line} />
            ))}
        </tbody>
        {selected === null && <YearFoot year={year} lines={ofYear} />}
      </table>
      <p className="type-meta muted">{t("orders.totals")}</p>
    </>
  );
}
