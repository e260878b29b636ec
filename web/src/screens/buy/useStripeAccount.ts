import { useMemo } from "react";
import { selectSettings } from "../../slices/catalogue";
import { useAppSelector } from "../state";
import type { StripeAccount } from "./stripe";

/** The channel's Stripe account; null in the payment sandbox. */
export function useStripeAccount(): StripeAccount | null {
  const settings = useAppSelector(selectSettings);
  const key = settings?.sandbox_payments ? undefined : settings?.stripe_publishable_key;
  const script = settings?.stripe_script_url ?? null;
  return useMemo(() => (key === undefined ? null : { key, script }), [key, script]);
}
