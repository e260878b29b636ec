import { Suspense } from "react";
import { Icon } from "../../components/basic/Icon";
import { Checkbox, FieldError } from "../../components/form/Field";
import { FormAlert } from "../../components/form/FormAlert";
import { RadioCard } from "../../components/form/RadioCard";
import { Loader } from "../../components/shell/Loader";
import type { Card } from "../../contracts/resources";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { selectSettings } from "../../slices/catalogue";
import { part } from "../lazyWithRetry";
import { useAppSelector } from "../state";
import { useAccount } from "../useAccount";
import { CardForm } from "./CardForm";
import { type CardChoiceState, NEW } from "./useCardChoice";

/** Loaded only for channels that use Stripe. */
const PaymentElement = part(() => import("./PaymentElement"));

/** Card brands by the provider's names: the mark's text and the full name. */
const BRANDS: { readonly [brand: string]: { readonly mark: string; readonly name: string } } = {
  visa: { mark: "VISA", name: "Visa" },
  mastercard: { mark: "MC", name: "Mastercard" },
  amex: { mark: "AMEX", name: "American Express" },
  discover: { mark: "DISC", name: "Discover" },
};

export const brandOf = (brand: string) =>
  BRANDS[brand.toLowerCase()] ?? { mark: brand.slice(0, 4).toUpperCase(), name: brand };

/** A stored card as text: "Visa ending in 4242"; null for none. */
export function useCardName(card: Card | undefined): string | null {
  const { t } = useTexts();
  const account = useAccount();
  if (card === undefined) return null;
  return t("orders.cardEnding", { brand: brandOf(card.brand).name, last4: account.lastDigits(card.id) ?? "••••" });
}

/** Choice of a stored card or a new one. */
export function CardChoice({ choice }: { readonly choice: CardChoiceState }) {
  const { t } = useTexts();
  const formats = useFormats();
  const account = useAccount();
  const { cards, chosen, pick } = choice;
  return (
    <fieldset className="choices">
      <legend className="type-label">{t("buy.payWith")}</legend>
      {cards?.map((one) => (
        <RadioCard
          key={one.id}
          name="card"
          value={one.id}
          checked={chosen === one.id}
          onChange={() => pick(one.id)}
          mark={brandOf(one.brand).mark}
          title={<span className="figures">{t("buy.ending", { last4: account.lastDigits(one.id) ?? "••••" })}</span>}
          text={
            <span className="figures">
              {one.declined && `${t("buy.declinedCard")} `}
              {t("buy.expires", { date: formats.cardExpiry(one.exp_month, one.exp_year) })}
            </span>
          }
        />
      ))}
      <RadioCard
        name="card"
        value={NEW}
        checked={chosen === NEW}
        onChange={() => pick(NEW)}
        mark={<Icon name="card" />}
        title={t("buy.newCard")}
      >
        <NewCard choice={choice} />
      </RadioCard>
    </fieldset>
  );
}

/** Fields for a new card: the sandbox's or the provider's. */
export function NewCard({ choice: { fields, saving } }: { readonly choice: CardChoiceState }) {
  const { t } = useTexts();
  const settings = useAppSelector(selectSettings);
  return (
    <>
      {fields.stripe === null ? (
        <CardForm key={fields.count} form={fields.form} container={fields.container} focus={fields.focus} />
      ) : (
        <Suspense fallback={<Loader label={t("common.loading")} />}>
          <PaymentElement
            key={fields.count}
            account={fields.stripe}
            currency={settings?.currency ?? ""}
            onReady={fields.onReady}
            focus={fields.focus}
          />
        </Suspense>
      )}
      {saving !== null && (
        <div className="stack stack--tight">
          <Checkbox checked={saving.isSaved} onChange={({ target }) => saving.setSaved(target.checked)}>
            {t("buy.saveCard")}
          </Checkbox>
          <p className="type-meta muted">{t("buy.saveCardText")}</p>
        </div>
      )}
      {fields.fault !== null &&
        (fields.stripe === null ? (
          <FieldError>{fields.fault.text}</FieldError>
        ) : (
          <FormAlert refusal={fields.fault}>{fields.fault.text}</FormAlert>
        ))}
    </>
  );
}
