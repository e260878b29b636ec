import { useSyncExternalStore } from "react";
import type { Transaction } from "../../contracts/resources";
import { useTexts } from "../../i18n/useTexts";
import { useAccount } from "../useAccount";
import { useRead } from "../useRead";

/** The viewer's payments and refunds: personal data, so never in the state. */
export function useTransactions() {
  const account = useAccount();
  const { at, retry } = useRead({ method: "api.listTransactions", args: {} });
  const lines = useSyncExternalStore(account.subscribe, account.transactions, () => null);
  return { at, retry, lines };
}

/** The charge's number in a transaction's address. */
export const chargeOf = ({ id }: Transaction): number => Number(id.slice(1));

/** A transaction's label: "New subscription", "Subscription Renewal" (SUB-2), "Single event", "Refund". */
export function useKind(): (line: Transaction) => string {
  const { t } = useTexts();
  return (line) => {
    if (line.kind === "renewal") return t("orders.updated");
    if (line.kind !== "purchase") return t(`orders.line.${line.kind}`);
    if (line.type === "subscription") return t("orders.created");
    return line.product.participant_id ? t("orders.type.team_pass") : t(`orders.type.${line.type}`);
  };
}

/**
 * A transaction's card: "Visa ending in 4242". A refund outside the provider has none; the channel stores none for a
 * declined first payment.
 */
export function useCardOf(): (line: Transaction) => string {
  const { t } = useTexts();
  return ({ kind, status, card_brand, card_last4 }) => {
    if (card_brand) return t("orders.cardEnding", { brand: nameOf(card_brand), last4: card_last4 ?? "••••" });
    if (kind === "refund") return t("orders.notByCard");
    return t(status === "failed" ? "orders.cardNotCharged" : "orders.noCard");
  };
}

const NAMES: { readonly [brand: string]: string } = { amex: "American Express" };
const nameOf = (brand: string): string => NAMES[brand] ?? brand.charAt(0).toUpperCase() + brand.slice(1);
