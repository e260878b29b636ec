import type { Stripe } from "@stripe/stripe-js";
import { loadStripe } from "@stripe/stripe-js/pure";

/** How a channel's account at Stripe is reached from a page. */
export interface StripeAccount {
  /** `pk_…` */
  readonly key: string;
  /** What stands for Stripe's script; null: Stripe's own. */
  readonly script: string | null;
}

const opened = new Map<string, Promise<Stripe>>();

/** Loads the script that stands for Stripe's: the library takes what is on the page. */
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

/** Stripe's script with the channel's account. One page loads it once; what failed is loaded anew. */
export function openStripe(account: StripeAccount, locale: "en" | "fr"): Promise<Stripe> {
  const known = opened.get(account.key);
  if (known !== undefined) return known;
  const opening = load(account, locale);
  opened.set(account.key, opening);
  opening.catch(() => opened.delete(account.key));
  return opening;
}
