import { zodResolver } from "@hookform/resolvers/zod";
import { useCallback, useEffect, useMemo, useState } from "react";
import { useForm } from "react-hook-form";
import { useChannelClock } from "../../components/basic/now";
import { useErrorReveal } from "../../components/form/reveal";
import { useTexts } from "../../i18n/useTexts";
import { selectCards } from "../../slices/checkout";
import { readFields } from "../auth/readFields";
import { useAppSelector } from "../state";
import { useAccount } from "../useAccount";
import { useRead } from "../useRead";
import type { CardValues } from "./CardForm";
import { cardSchema, storedCard } from "./cardSchema";
import type { CardEntry } from "./PaymentElement";
import { useStripeAccount } from "./useStripeAccount";

/** Choice of a new card. */
export const NEW = "new";

/** The payment method: a stored card, or one in the account port. */
export type PaidWith =
  | { readonly payment_method_id: string }
  | { readonly card_handle: string; readonly save_card?: boolean };

type Submit = (paidWith: PaidWith) => void;

/** Whether a new card is saved: as the viewer chooses, or always because the purchase needs it. */
export type SaveCardMode = "optional" | "always";

/** After a declined card, shows empty fields for another one and focuses them. */
function useOtherCard(refusal: "displayed" | "dismissed" | null, onDismissed: () => void) {
  const [other, setOther] = useState({ refusal, count: 0, isNext: false });
  if (other.refusal !== refusal) {
    const isDismissed = other.refusal === "displayed" && refusal === "dismissed";
    setOther({ refusal, count: other.count + (isDismissed ? 1 : 0), isNext: isDismissed });
    if (isDismissed) onDismissed();
  }
  return { ...other, leave: () => setOther({ ...other, isNext: false }) };
}

/** Available cards and the selected one. `refusal`: whether the last decline is displayed or was dismissed. */
export function useCardChoice(refusal: "displayed" | "dismissed" | null, saveMode: SaveCardMode) {
  const { t } = useTexts();
  const account = useAccount();
  const now = useChannelClock();
  const stripe = useStripeAccount();
  const cards = useAppSelector(selectCards);
  const { at: cardsAt } = useRead({ method: "api.listCards", args: {} });
  const [picked, setPicked] = useState<string | null>(null);
  /** The problem with a new card; a new object for each press. */
  const [fault, setFault] = useState<{ readonly text: string } | null>(null);
  const [isSaved, setSaved] = useState(false);
  const [isChecking, setChecking] = useState(false);
  const [entry, setEntry] = useState<CardEntry | null>(null);
  const onReady = useCallback((ready: CardEntry | null) => {
    setEntry(ready);
    if (ready) setFault(null);
  }, []);
  // The declined card stays in the list but isn't preselected.
  const other = useOtherCard(refusal, () => setPicked(NEW));
  const chosen =
    picked ??
    (refusal === null ? cards?.find(({ declined }) => !declined)?.id : NEW) ??
    (cardsAt === "loaded" || cardsAt === "failed" ? NEW : null);
  const schema = useMemo(() => cardSchema(now), [now]);
  const form = useForm<CardValues>({
    resolver: zodResolver(schema),
    shouldFocusError: false,
    defaultValues: { number: "", exp: "", cvc: "" },
  });
  const { reset } = form;
  const container = useErrorReveal<HTMLDivElement>(form.formState.submitCount);
  useEffect(() => {
    if (other.count > 0) reset();
  }, [other.count, reset]);

  const paidWith = (card: object): PaidWith => ({
    card_handle: account.hold(card),
    ...(saveMode === "optional" ? { save_card: isSaved } : {}),
  });

  /** A wallet can only be opened within the press. */
  async function checked(one: CardEntry): Promise<string | null> {
    setChecking(true);
    try {
      return await one.check();
    } catch {
      return t("buy.providerAway");
    } finally {
      setChecking(false);
    }
  }

  return {
    cards,
    /** A stored card's id, `NEW`, or null while cards are loading. */
    chosen,
    pick(id: string) {
      setPicked(id);
      other.leave();
    },
    /** Fields of a new card; a new `count` is a new form. */
    fields: { form, container, stripe, onReady, count: other.count, focus: other.isNext, fault },
    /** Whether the new card will be saved; null if it always is. */
    saving: saveMode === "optional" ? { isSaved, setSaved } : null,
    /** The provider is checking the input. */
    isChecking,
    /** Passes the choice to `submit` once it is complete; `onTaken` is called when its fields can be removed. */
    pay(submit: Submit, onTaken: () => void = () => undefined) {
      if (chosen !== null && chosen !== NEW) {
        submit({ payment_method_id: chosen });
        onTaken();
      } else payNew(submit, onTaken);
    },
    payNew,
  };

  /** The same for a new card. */
  function payNew(submit: Submit, onTaken: () => void) {
    if (stripe === null) {
      readFields(form, container.current);
      const isEmpty = Object.values(form.getValues()).every((text) => text === "");
      setFault(isEmpty ? { text: t("validation.card") } : null);
      void form.handleSubmit((values) => {
        submit(paidWith(storedCard(values)));
        onTaken();
      })();
      return;
    }
    setFault(entry === null ? { text: t("validation.card") } : null);
    if (entry === null || isChecking) return;
    // The provider's fields keep the card until it is a payment method.
    const tokenize: CardEntry["tokenize"] = async (clientSecret) => {
      const card = await entry.tokenize(clientSecret);
      if ("payment_method_id" in card) onTaken();
      return card;
    };
    void checked(entry).then((text) => {
      if (text === null) submit(paidWith({ tokenize }));
      else setFault({ text: text || t("validation.card") });
    });
  }
}

export type CardChoiceState = ReturnType<typeof useCardChoice>;
