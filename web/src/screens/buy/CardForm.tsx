import type { RefObject } from "react";
import type { UseFormReturn } from "react-hook-form";
import { Field } from "../../components/form/Field";
import { useTexts } from "../../i18n/useTexts";
import { useErrorText } from "../auth/useErrorText";
import { grouped, groupedExpiry } from "./cardSchema";

export interface CardValues {
  number: string;
  exp: string;
  cvc: string;
}

interface CardFormProps {
  readonly form: UseFormReturn<CardValues>;
  /** The element around the fields. */
  readonly container: RefObject<HTMLDivElement | null>;
  /** Focuses the first field. */
  readonly focus: boolean;
}

/** Fields for a new card. Their values go only to the account port. */
export function CardForm({ form, container, focus }: CardFormProps) {
  const { t } = useTexts();
  const errorText = useErrorText();
  const { errors } = form.formState;
  const number = form.register("number");
  const exp = form.register("exp");
  return (
    <div className="stack" ref={container}>
      <Field
        {...number}
        autoFocus={focus}
        onChange={(event) => {
          event.target.value = grouped(event.target.value);
          return number.onChange(event);
        }}
        label={t("buy.number")}
        placeholder={t("buy.numberHint")}
        autoComplete="cc-number"
        inputMode="numeric"
        icon="lock"
        error={errorText(errors.number)}
      />
      <div className="field-pair">
        <Field
          {...exp}
          onChange={(event) => {
            event.target.value = groupedExpiry(event.target.value, form.getValues("exp"));
            return exp.onChange(event);
          }}
          label={t("buy.expiry")}
          placeholder={t("buy.expiryHint")}
          autoComplete="cc-exp"
          inputMode="numeric"
          error={errorText(errors.exp)}
        />
        <Field
          {...form.register("cvc")}
          label={t("buy.cvc")}
          placeholder={t("buy.cvcHint")}
          autoComplete="cc-csc"
          inputMode="numeric"
          maxLength={4}
          error={errorText(errors.cvc)}
        />
      </div>
    </div>
  );
}
