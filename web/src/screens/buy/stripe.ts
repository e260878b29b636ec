import type { Stripe } from "@stripe/stripe-js";
import { loadStripe } from "@stripe/stripe-js/pure";

/** A channel's Stripe account. */
export interface StripeAccount {
  /** `pk_…` */
  readonly key: string;
  /** Address of a substitute for Stripe's script; null for Stripe's own. */
  readonly script: string | null;
}

const opened = new Map<string, Promise<Stripe>>();

/** Loads the substitute script, which the library then uses. */
function loadScript(src: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = src;
    script.onload = () => resolve();
    script.onerror = () => {
      script.remove();
      reject(new Error("the payment provider's script did not arrive"));
    };
    document.head.append(script);
  });
}

async function load({ key, script }: StripeAccount, locale: "en" | "fr"): Promise<Stripe> {
  if (script !== null) await loadScript(script);
  const stripe = await loadStripe(key, { locale });
  if (stripe === null) throw new Error("the payment provider's script did not arrive");
  return stripe;
}

/** Loads Stripe's script with the channel's account, once per page. A failed load is retried. */
export function openStripe(account: StripeAccount, locale: "en" | "fr"): Promise<Stripe> {
  const loading = opened.get(account.key);
  if (loading !== undefined) return loading;
  const opening = load(account, locale);
  opened.set(account.key, opening);
  opening.catch(() => opened.delete(account.key));
  return opening;
}
