import { useSyncExternalStore } from "react";
import type { Transaction } from "../../contracts/resources";
import { useTexts } from "../../i18n/useTexts";
import { useAccount } from "../useAccount";
import { useRead } from "../useRead";

/** What the viewer paid and got back: personal as a whole, so that it never enters the state. */
export function useTransactions() {
  const account = useAccount();
  const { at, retry } = useRead({ method: "api.listTransactions", args: {} });
  const lines = useSyncExternalStore(account.subscribe, account.transactions, () => null);
  return { at, retry, lines };
}

/** The number in a line's address: its charge's. */
export const chargeOf = ({ id }: Transaction): number => Number(id.slice(1));

/** What a line is: "New subscription", "Subscription Renewal" (SUB-2), "Single event", "Refund". */
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
 * The card of a line: "Visa ending in 4242". Money that came back by other means has none; of a first payment that was
 * refused the channel stores none.
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
