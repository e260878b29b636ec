import { zodResolver } from "@hookform/resolvers/zod";
import { useCallback, useContext, useEffect, useMemo, useState } from "react";
import { useForm } from "react-hook-form";
import { NowContext } from "../../components/basic/now";
import { selectCards } from "../../slices/checkout";
import { useAppSelector } from "../state";
import { useAccount } from "../useAccount";
import { useRead } from "../useRead";
import type { CardValues } from "./CardForm";
import { cardSchema, heldCard } from "./cardSchema";
import type { CardEntry } from "./PaymentElement";
import { useStripeAccount } from "./useStripeAccount";

/** The choice of a card that is not stored yet. */
export const NEW = "new";

/** What a purchase is paid with: a stored card, or one behind the account port. */
export type PaidWith =
  | { readonly payment_method_id: string }
  | { readonly card_handle: string; readonly save_card?: boolean };

type Submit = (paidWith: PaidWith) => void;

/** Whether a new card is kept: as the viewer says, or because what it pays for needs it. */
export type Keeping = "asked" | "always";

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
export function useCardChoice(refusal: "told" | "read" | null, keeping: Keeping) {
  const account = useAccount();
  const now = useContext(NowContext);
  const stripe = useStripeAccount();
  const cards = useAppSelector(selectCards);
  const { at: cardsAt } = useRead({ method: "api.listCards", args: {} });
  const [picked, setPicked] = useState<string | null>(null);
  const [isMissing, setMissing] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const [isChecking, setChecking] = useState(false);
  const [entry, setEntry] = useState<CardEntry | null>(null);
  const onReady = useCallback((ready: CardEntry | null) => {
    setEntry(ready);
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

  const held = (card: object): PaidWith => ({
    card_handle: account.hold(card),
    ...(keeping === "asked" ? { save_card: isSaved } : {}),
  });

  /** A wallet opens within the press, or never. */
  async function checked(one: CardEntry): Promise<boolean> {
    setChecking(true);
    try {
      return await one.check();
    } catch {
      return false;
    } finally {
      setChecking(false);
    }
  }

  return {
    cards,
    /** A stored card's id, `NEW`, or null while the cards are read. */
    chosen,
    pick(id: string) {
      setPicked(id);
      other.leave();
    },
    /** The fields of a new card: another count is another form. */
    fields: { form, stripe, onReady, count: other.count, focus: other.isNext, isMissing },
    /** Whether the new card is kept; null where it is anyway. */
    saving: keeping === "asked" ? { isSaved, setSaved } : null,
    /** What was entered is being checked by the provider. */
    isChecking,
    /** Gives what is chosen to `submit`, once it is complete; `onTaken` hears when its fields may go. */
    pay(submit: Submit, onTaken: () => void = () => undefined) {
      if (chosen !== null && chosen !== NEW) {
        submit({ payment_method_id: chosen });
        onTaken();
      } else payNew(submit, onTaken);
    },
    payNew,
  };

  /** The same for the new card. */
  function payNew(submit: Submit, onTaken: () => void) {
    if (stripe === null) {
      setMissing(Object.values(form.getValues()).every((text) => text === ""));
      void form.handleSubmit((values) => {
        submit(held(heldCard(values)));
        onTaken();
      })();
      return;
    }
    setMissing(entry === null);
    if (entry === null || isChecking) return;
    // The provider's fields hold the card until it is a payment method.
    const tokenize: CardEntry["tokenize"] = async (clientSecret) => {
      const card = await entry.tokenize(clientSecret);
      if ("payment_method_id" in card) onTaken();
      return card;
    };
    void checked(entry).then((isWhole) => {
      if (isWhole) submit(held({ tokenize }));
    });
  }
}

export type CardChoiceState = ReturnType<typeof useCardChoice>;
