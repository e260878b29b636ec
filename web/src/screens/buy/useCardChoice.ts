import { zodResolver } from "@hookform/resolvers/zod";
import { useCallback, useContext, useEffect, useMemo, useState } from "react";
import { useForm } from "react-hook-form";
import { NowContext } from "../../components/basic/now";
import { selectSettings } from "../../slices/catalogue";
import { selectCards } from "../../slices/checkout";
import { useAppSelector } from "../state";
import { useAccount } from "../useAccount";
import { useRead } from "../useRead";
import type { CardValues } from "./CardForm";
import { cardSchema, heldCard } from "./cardSchema";
import type { Tokenize } from "./StripeCard";

/** The choice of a card that is not stored yet. */
export const NEW = "new";

/** What a purchase is paid with: a stored card, or one behind the account port. */
export type PaidWith = { readonly payment_method_id: string } | { readonly card_handle: string };

/** Once a viewer was told that a card was refused, the fields of another are asked for: empty, and with the focus. */
function useOtherCard(refusal: "told" | "read" | null, onRead: () => void) {
  const [other, setOther] = useState({ refusal, count: 0, isNext: false });
  if (other.refusal !== refusal) {
    const isRead = other.refusal === "told" && refusal === "read";
    setOther({ refusal, count: other.count + (isRead ? 1 : 0), isNext: isRead });
    if (isRead) onRead();
  }
  return { ...other, leave: () => setOther({ ...other, isNext: false }) };
}

/** The cards that may be paid with, and the one that is chosen. `refusal`: of the last purchase, told or read. */
export function useCardChoice(refusal: "told" | "read" | null) {
  const account = useAccount();
  const now = useContext(NowContext);
  const settings = useAppSelector(selectSettings);
  const cards = useAppSelector(selectCards);
  const { at: cardsAt } = useRead({ method: "api.listCards", args: {} });
  const [picked, setPicked] = useState<string | null>(null);
  const [isMissing, setMissing] = useState(false);
  const [tokenize, setTokenize] = useState<Tokenize | null>(null);
  const stripeKey = settings?.sandbox_payments ? undefined : settings?.stripe_publishable_key;
  const onReady = useCallback((ready: Tokenize | null) => {
    setTokenize(() => ready);
    if (ready) setMissing(false);
  }, []);
  // The card that was just refused is kept with the others, and is not what anybody would try again first.
  const other = useOtherCard(refusal, () => setPicked(NEW));
  const chosen =
    picked ??
    (refusal === null ? cards?.find(({ declined }) => !declined)?.id : NEW) ??
    (cardsAt === "loaded" || cardsAt === "failed" ? NEW : null);
  const schema = useMemo(() => cardSchema(now), [now]);
  const form = useForm<CardValues>({ resolver: zodResolver(schema), defaultValues: { number: "", exp: "", cvc: "" } });
  const { reset } = form;
  useEffect(() => {
    if (other.count > 0) reset();
  }, [other.count, reset]);

  return {
    cards,
    /** A stored card's id, `NEW`, or null while the cards are read. */
    chosen,
    pick(id: string) {
      setPicked(id);
      other.leave();
    },
    /** The fields of a new card: another count is another form. */
    fields: { form, stripeKey, onReady, count: other.count, focus: other.isNext, isMissing },
    /** Gives what is chosen to `submit`, once it is complete. */
    pay(submit: (paidWith: PaidWith) => void) {
      if (chosen !== null && chosen !== NEW) submit({ payment_method_id: chosen });
      else if (stripeKey !== undefined) {
        setMissing(tokenize === null);
        if (tokenize !== null) submit({ card_handle: account.hold({ tokenize }) });
      } else void form.handleSubmit((values) => submit({ card_handle: account.hold(heldCard(values)) }))();
    },
  };
}

export type CardChoiceState = ReturnType<typeof useCardChoice>;
