import type { Stripe } from "@stripe/stripe-js";
import { useEffect, useState } from "react";
import { Button } from "../../components/basic/Button";
import { Dialog } from "../../components/basic/Dialog";
import { useTexts } from "../../i18n/useTexts";
import { useAccount } from "../useAccount";
import { openStripe, type StripeAccount } from "./stripe";

interface StripeQuestionProps {
  readonly account: StripeAccount;
  /** The payment intent's secret. */
  readonly clientSecret: string;
}

type QuestionState = { readonly at: "reading" } | { readonly at: "elsewhere"; readonly stripe: Stripe };

/**
 * The bank's confirmation, which Stripe's script shows over the page. A bank with its own page is opened by a press; a
 * viewer who returns from it without an answer is not sent there again.
 */
export default function StripeQuestion({ account: { key, script }, clientSecret }: StripeQuestionProps) {
  const { t, language } = useTexts();
  const { answer } = useAccount();
  const [state, setState] = useState<QuestionState>({ at: "reading" });
  useEffect(() => {
    let isUnmounted = false;
    async function present(): Promise<void> {
      const stripe = await openStripe({ key, script }, language);
      const { paymentIntent, error } = await stripe.retrievePaymentIntent(clientSecret);
      if (isUnmounted) return;
      if (error) throw new Error(error.message);
      if (paymentIntent.status !== "requires_action") answer("settled");
      else if (paymentIntent.next_action?.type === "redirect_to_url") setState({ at: "elsewhere", stripe });
      else await confirm(stripe, clientSecret, answer);
    }
    present().catch(() => {
      if (!isUnmounted) answer("unanswered");
    });
    return () => {
      isUnmounted = true;
    };
  }, [key, script, clientSecret, language, answer]);
  if (state.at === "reading") return null;
  const { stripe } = state;
  return (
    <Dialog
      title={t("paying.bankTitle")}
      subtitle={t("paying.bankElsewhere")}
      onClose={() => answer("unanswered")}
      bare
    >
      <div className="dialog__acts">
        <Button look="primary" onClick={() => void confirm(stripe, clientSecret, answer)}>
          {t("paying.toBank")}
        </Button>
        <Button onClick={() => answer("unanswered")}>{t("buy.notNow")}</Button>
      </div>
    </Dialog>
  );
}

/** Starts Stripe's confirmation. The order reports the result; without an answer it can be started again. */
async function confirm(stripe: Stripe, clientSecret: string, answer: (by: "settled" | "unanswered") => void) {
  const { error } = await stripe.handleNextAction({ clientSecret }).catch(() => ({ error: { type: "api_error" } }));
  const isCut = error?.type === "api_connection_error" || error?.type === "api_error";
  answer(isCut ? "unanswered" : "settled");
}
