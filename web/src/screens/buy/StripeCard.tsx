import { loadStripe, type Stripe, type StripeCardElement } from "@stripe/stripe-js";
import { useEffect, useRef, useState } from "react";
import { FieldError } from "../../components/form/Field";
import { useTexts } from "../../i18n/useTexts";

/** Turns the typed card into the provider's opaque id, with the secret of a setup intent. */
export type Tokenize = (clientSecret: string) => Promise<string>;

interface StripeCardProps {
  readonly publishableKey: string;
  /** Told once the fields are whole, and null again when they are not. */
  readonly onReady: (tokenize: Tokenize | null) => void;
  /** Its fields are where the viewer goes on. */
  readonly focus: boolean;
}

function tokenizer(stripe: Stripe, card: StripeCardElement): Tokenize {
  return async (clientSecret) => {
    const { setupIntent, error } = await stripe.confirmCardSetup(clientSecret, { payment_method: { card } });
    const method = setupIntent?.payment_method;
    if (error || !method) throw new Error(error?.message ?? "the card could not be confirmed");
    return typeof method === "string" ? method : method.id;
  };
}

/** Stripe's own card fields, in Stripe's own frame: what is typed never reaches this site. */
export default function StripeCard({ publishableKey, onReady, focus }: StripeCardProps) {
  const { t, language } = useTexts();
  const place = useRef<HTMLDivElement>(null);
  const focusFirst = useRef(focus);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    let left = false;
    let card: StripeCardElement | null = null;
    const mount = (stripe: Stripe | null) => {
      if (left || !place.current) return;
      if (!stripe) throw new Error("the payment provider did not arrive");
      const { color, fontFamily } = getComputedStyle(place.current);
      card = stripe
        .elements({ locale: language })
        .create("card", { style: { base: { color, fontFamily, fontSize: "16px" } } });
      const own = card;
      own.on("change", ({ complete, error }) => {
        setFault(error?.message ?? null);
        onReady(complete ? tokenizer(stripe, own) : null);
      });
      own.on("ready", () => {
        if (focusFirst.current) own.focus();
      });
      own.mount(place.current);
    };
    loadStripe(publishableKey)
      .then(mount)
      .catch(() => {
        if (!left) setFault(t("general.wrong"));
      });
    return () => {
      left = true;
      onReady(null);
      card?.destroy();
    };
  }, [publishableKey, language, onReady, t]);
  return (
    <div className="field">
      <span className="field__label">{t("buy.number")}</span>
      <div className="field__box buy__stripe" ref={place} />
      {fault !== null && <FieldError>{fault}</FieldError>}
    </div>
  );
}
