import type { Transaction } from "../../contracts/resources";
import { decimalsOf, inUnits } from "../../lib/currency";

/** Byte order mark: spreadsheets then read the file as UTF-8. */
const MARK = "\uFEFF";

/** Translated labels of a transaction. */
export interface LineLabels {
  readonly kind: string;
  readonly card: string;
  readonly state: string;
}

const COLUMNS = ["date", "what", "kind", "card", "state", "amount", "fee", "total", "currency", "receipt"] as const;

export type Headings = Readonly<Record<(typeof COLUMNS)[number], string>>;

/** A cell according to RFC 4180, escaped so that spreadsheets don't treat it as a formula. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-?[\d.]+$/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A decimal amount with the currency's digits: `-10.74`. */
const amountOf = (minor: number, currency: string): string => inUnits(minor, currency).toFixed(decimalsOf(currency));

/** The date in the viewer's time zone: `2026-11-21`. */
function dayOf(at: string): string {
  const date = new Date(at);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Transactions as CSV. Failed and pending ones have amount 0, so that a column's sum is the net amount. */
export function transactionsCsv(
  lines: readonly Transaction[],
  headings: Headings,
  wordsOf: (line: Transaction) => LineLabels,
): string {
  const rows = lines.map((line) => {
    const { kind, card, state } = wordsOf(line);
    const money = (minor: number) => amountOf(line.status === "succeeded" ? minor : 0, line.currency);
    const { amount, fee, currency } = line;
    const sums = [money(amount - fee), money(fee), money(amount), currency];
    return [dayOf(line.at), line.product.name, kind, card, state, ...sums, line.receipt ?? ""];
  });
  const head = COLUMNS.map((column) => headings[column]);
  return `${MARK}${[head, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("")}`;
}
