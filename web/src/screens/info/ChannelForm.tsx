import { zodResolver } from "@hookform/resolvers/zod";
import { type ReactNode, useEffect, useId } from "react";
import { type UseFormRegisterReturn, useForm } from "react-hook-form";
import { Notice } from "../../components/basic/Notice";
import { Field, FieldError } from "../../components/form/Field";
import type { CustomForm } from "../../contracts/resources";
import { useTexts } from "../../i18n/useTexts";
import { selectCustomForm } from "../../slices/catalogue";
import { FormFrame } from "../auth/FormFrame";
import { channelForm } from "../auth/schemas";
import { useAccountForm } from "../auth/useAccountForm";
import { useErrorText } from "../auth/useErrorText";
import { useAppSelector } from "../state";
import { useAccount } from "../useAccount";
import { useRead } from "../useRead";
import "./info.css";

type FormField = CustomForm["fields"][number];

/** Label and error around a control other than a text input. */
function Framed({ id, label, error, children }: FramedProps) {
  return (
    <div className={`field${error !== undefined ? " field--wrong" : ""}`} data-field>
      <label className="field__label" htmlFor={id}>
        <span>{label}</span>
      </label>
      {children}
      {error !== undefined && <FieldError id={`${id}-error`}>{error}</FieldError>}
    </div>
  );
}

interface FramedProps {
  readonly id: string;
  readonly label: string;
  readonly error: string | undefined;
  readonly children: ReactNode;
}

type Registered = UseFormRegisterReturn;

/** A field of the channel's form. */
function Control({ field, error, input }: ControlProps) {
  const { t } = useTexts();
  const id = useId();
  const label = field.required ? field.label : t("form.optional", { label: field.label });
  const shared = {
    ...input,
    id,
    "aria-invalid": error !== undefined,
    "aria-describedby": error === undefined ? undefined : `${id}-error`,
    "aria-required": field.required,
  };
  if (field.type === "textarea")
    return (
      <Framed id={id} label={label} error={error}>
        <textarea {...shared} className="channel-form__text" rows={6} maxLength={5_000} />
      </Framed>
    );
  if (field.type === "select")
    return (
      <Framed id={id} label={label} error={error}>
        <select {...shared} className="channel-form__select">
          <option value="">{t("form.choose")}</option>
          {field.options?.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      </Framed>
    );
  const type = { email: "email", phone: "tel", text: "text" }[field.type] ?? "text";
  const complete = { email: "email", tel: "tel" }[type];
  return <Field {...input} type={type} autoComplete={complete} label={label} error={error} maxLength={5_000} />;
}

interface ControlProps {
  readonly field: FormField;
  readonly error: string | undefined;
  readonly input: Registered;
}

/** A channel's form (FORM-1); nothing if the channel has none with this alias. */
export function ChannelForm({ alias }: { readonly alias: string }) {
  useRead({ method: "api.getCustomForm", args: { alias } });
  const form = useAppSelector(selectCustomForm(alias));
  return form && <Filled key={form.id} form={form} />;
}

function Filled({ form: { alias, name, fields } }: { readonly form: CustomForm }) {
  const { t } = useTexts();
  const id = useId();
  const account = useAccount();
  const { at, refusal, submit } = useAccountForm("customForm");
  const empty = Object.fromEntries(fields.map((field) => [field.name, ""]));
  const form = useForm<Record<string, string>>({
    resolver: zodResolver(channelForm(fields)),
    shouldFocusError: false,
    defaultValues: empty,
  });
  const errorText = useErrorText();
  const { errors } = form.formState;
  const { reset } = form;
  useEffect(() => {
    if (at === "done") reset();
  }, [at, reset]);
  return (
    <section className="narrow-form stack" aria-labelledby={id}>
      <h2 className="type-section" id={id}>
        {name}
      </h2>
      {at === "done" && (
        <Notice tone="success" alert>
          {t("form.sent")}
        </Notice>
      )}
      <FormFrame
        form={form}
        refusal={refusal}
        submit={t("form.send")}
        busy={at === "sending"}
        onSubmit={(values) => submit(account.hold({ alias, values }))}
      >
        {fields.map((field) => (
          <Control
            key={field.name}
            field={field}
            error={errorText(errors[field.name])}
            input={form.register(field.name)}
          />
        ))}
      </FormFrame>
    </section>
  );
}
