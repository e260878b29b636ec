import { useSyncExternalStore } from "react";
import { Button } from "../../components/basic/Button";
import { Dialog } from "../../components/basic/Dialog";
import { useTexts } from "../../i18n/useTexts";
import { part } from "../lazyWithRetry";
import { useAccount } from "../useAccount";
import { useStripeAccount } from "./useStripeAccount";

/** Loaded only for channels that use Stripe. */
const StripeQuestion = part(() => import("./StripeQuestion"));

/** The bank's confirmation of a payment, on any page of its tab. */
export default function BankQuestion() {
  const { t } = useTexts();
  const account = useAccount();
  const stripe = useStripeAccount();
  const question = useSyncExternalStore(account.subscribe, account.question, () => null);
  if (question === null) return null;
  if (stripe !== null) {
    return <StripeQuestion key={question.client_secret} account={stripe} clientSecret={question.client_secret} />;
  }
  return (
    <Dialog title={t("paying.bankTitle")} subtitle={t("paying.bankText")} onClose={() => account.answer(false)} bare>
      <div className="dialog__acts">
        <Button look="primary" onClick={() => account.answer(true)}>
          {t("paying.bankYes")}
        </Button>
        <Button onClick={() => account.answer(false)}>{t("paying.bankNo")}</Button>
      </div>
    </Dialog>
  );
}
