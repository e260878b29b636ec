import type { Stripe, StripeElements, StripeError } from "@stripe/stripe-js";
import { useEffect, useRef, useState } from "react";
import { Button } from "../../components/basic/Button";
import { Notice } from "../../components/basic/Notice";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { appearanceOf } from "./appearance";
import { openStripe, type StripeAccount } from "./stripe";

/** The card as the provider's opaque id, or the provider's error. */
export type Tokenized =
  | { readonly payment_method_id: string }
  | { readonly refused: { readonly code: string; readonly message: string } };

/** Card fields or a wallet in the provider's frame. */
export interface CardEntry {
  /**
   * Validates the input or opens the wallet; must be called within the button press. Resolves to the problem, in the
   * viewer's language if the provider names it; null if the input is complete.
   */
  check(): Promise<string | null>;
  /** Turns the input into a payment method, using a setup intent's secret. */
  tokenize(clientSecret: string): Promise<Tokenized>;
}

interface PaymentElementProps {
  readonly account: StripeAccount;
  /** ISO 4217. */
  readonly currency: string;
  /** Called once the fields are ready, and with null when they are removed. */
  readonly onReady: (entry: CardEntry | null) => void;
  /** Focuses the fields. */
  readonly focus: boolean;
}

/** Whether an error is about the card, not the connection to the provider. */
const isOfCard = ({ type }: StripeError): boolean => type === "card_error" || type === "validation_error";

function entryOf(stripe: Stripe, elements: StripeElements): CardEntry {
  return {
    check: async () => {
      const { error } = await elements.submit();
      return error ? (error.message ?? "") : null;
    },
    async tokenize(clientSecret) {
      const { setupIntent, error } = await stripe.confirmSetup({
        elements,
        clientSecret,
        redirect: "if_required",
        confirmParams: { return_url: `${window.location.origin}${linkTo("buy")}` },
      });
      if (error && isOfCard(error)) {
        return { refused: { code: error.code ?? error.type, message: error.message ?? "" } };
      }
      const method = setupIntent?.payment_method;
      if (error || !method) throw new Error(error?.message ?? "the card could not be confirmed");
      return { payment_method_id: typeof method === "string" ? method : method.id };
    },
  };
}

/** Stripe's payment element: the input never reaches this site. */
export default function PaymentElement({ account, currency, onReady, focus }: PaymentElementProps) {
  const { t, language } = useTexts();
  const box = useRef<HTMLDivElement>(null);
  const focusFirst = useRef(focus);
  const [attempt, setAttempt] = useState(0);
  const [failed, setFailed] = useState(false);
  const { key, script } = account;
  useEffect(() => {
    let isUnmounted = false;
    let unmount = () => undefined as void;
    const fail = () => {
      if (!isUnmounted) setFailed(true);
    };
    const mount = (stripe: Stripe) => {
      if (isUnmounted || !box.current) return;
      const elements = stripe.elements({
        mode: "setup",
        currency: currency.toLowerCase(),
        allowedPaymentMethodTypes: ["card"],
        locale: language,
        appearance: appearanceOf(box.current),
      });
      const element = elements.create("payment", { layout: "tabs" });
      element.on("ready", () => {
        onReady(entryOf(stripe, elements));
        if (focusFirst.current) element.focus();
      });
      element.on("loaderror", fail);
      element.mount(box.current);
      unmount = () => element.destroy();
    };
    openStripe({ key, script }, language).then(mount).catch(fail);
    return () => {
      isUnmounted = true;
      onReady(null);
      unmount();
    };
  }, [key, script, currency, language, onReady, attempt]);
  const again = () => {
    setFailed(false);
    setAttempt(attempt + 1);
  };
  return (
    <>
      <div className="buy__stripe" ref={box} hidden={failed} />
      {failed && (
        <Notice tone="danger" alert>
          <p>{t("buy.providerAway")}</p>
          <Button icon="refresh" onClick={again}>
            {t("paying.tryAgain")}
          </Button>
        </Notice>
      )}
    </>
  );
}
