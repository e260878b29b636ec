import * as z from "zod/mini";

const ATOM = "[\\p{L}\\p{M}\\p{N}_!#$%&'*+/=?^`{|}~-]+";
const LABEL = "[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]{0,61}[\\p{L}\\p{M}\\p{N}])?";
const TOP = "(?:[\\p{L}\\p{M}]{2,63}|[Xx][Nn]--[A-Za-z\\d-]{1,59})";
const BYTE = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
/**
 * An email address: local part, @, and a domain whose last label has at least two letters, or a bracketed IPv4 address,
 * in letters of any script (VAL-1). Registries are stricter about domains. The worker has the same rule:
 * fixtures/contracts tests both.
 */
const EMAIL = new RegExp(
  `^(?=.{1,64}@)${ATOM}(?:\\.${ATOM})*@(?:(?:${LABEL}\\.)+${TOP}|\\[${BYTE}(?:\\.${BYTE}){3}\\])$`,
  "u",
);
/**
 * An optional plus sign, then 10 to 14 digits with separators, at most 40 characters (VAL-2). The worker has the same
 * rule.
 */
const PHONE = /^\+?(?=[\d(].{0,39}$)(?:[ .()-]*\d){10,14}$/;

/** VAL-5. */
const PASSWORD = { least: 8, most: 128 } as const;
const MAX_NAME_LENGTH = 100;
const MAX_EMAIL_LENGTH = 254;

/** Messages are text keys, with a number after a bar if the text has a placeholder. */
const required = (message: string) => z.string().check(z.trim(), z.minLength(1, message));
const name = (message: string) =>
  z
    .string()
    .check(z.trim(), z.minLength(1, message), z.maxLength(MAX_NAME_LENGTH, `validation.shorter|${MAX_NAME_LENGTH}`));

const email = z
  .string()
  .check(
    z.trim(),
    z.minLength(1, "validation.emailMissing"),
    z.maxLength(MAX_EMAIL_LENGTH, `validation.shorter|${MAX_EMAIL_LENGTH}`),
    z.regex(EMAIL, "validation.email"),
  );
const password = z
  .string()
  .check(
    z.minLength(PASSWORD.least, "validation.passwordShort"),
    z.maxLength(PASSWORD.most, `validation.passwordLong|${PASSWORD.most}`),
  );

const terms = z.boolean().check(z.refine((accepted) => accepted, "validation.terms"));

/** A mismatch is reported on the confirmation. */
const repeated = (message: string) =>
  z.refine<{ password: string; password_confirmation: string }>(
    (values) => values.password === values.password_confirmation,
    { message, path: ["password_confirmation"] },
  );

export const login = z.object({ email, password: required("validation.required") });

export const registration = z
  .object({
    first_name: name("validation.firstName"),
    last_name: name("validation.lastName"),
    email,
    password,
    password_confirmation: z.string(),
    terms,
  })
  .check(repeated("validation.passwordMatch"));

/** A first social login. */
export const socialRegistration = z.object({ terms });

export const resetRequest = z.object({ email });

/** A password reset has its own mismatch message (ERR-8). */
export const reset = z
  .object({ password, password_confirmation: z.string() })
  .check(repeated("server.passwordsDiffer"));

/** An empty phone is allowed. Password rules apply only if a new password is entered. */
export const profile = z
  .object({
    // May be empty if this browser doesn't know the email; the page reports a removed one.
    email: z.string().check(
      z.trim(),
      z.maxLength(MAX_EMAIL_LENGTH, `validation.shorter|${MAX_EMAIL_LENGTH}`),
      z.refine((text) => text === "" || EMAIL.test(text), "validation.email"),
    ),
    first_name: name("validation.firstName"),
    last_name: name("validation.lastName"),
    phone: z.string().check(
      z.trim(),
      z.refine((text) => text === "" || PHONE.test(text), "validation.phone"),
    ),
    current_password: z.string(),
    password: z.string(),
    password_confirmation: z.string(),
  })
  .check(
    z.refine(({ password: next }) => next === "" || next.length >= PASSWORD.least, {
      message: "validation.passwordShort",
      path: ["password"],
    }),
    z.refine(({ password: next }) => next.length <= PASSWORD.most, {
      message: `validation.passwordLong|${PASSWORD.most}`,
      path: ["password"],
    }),
    z.refine(({ password: next, current_password }) => next === "" || current_password !== "", {
      message: "validation.required",
      path: ["current_password"],
    }),
    repeated("validation.passwordMatch"),
  );

/** Maximum length of an answer in a channel's form. */
const MAX_ANSWER_LENGTH = 5_000;

/** The schema of a channel's form (FORM-1), with the worker's rules and messages. */
export function channelForm(fields: readonly { name: string; type: string; required: boolean }[]) {
  const rule = ({ type, required: isRequired }: { type: string; required: boolean }) =>
    z.string().check(
      z.trim(),
      z.refine((text) => text !== "" || !isRequired, "validation.required"),
      z.maxLength(MAX_ANSWER_LENGTH, `validation.shorter|${MAX_ANSWER_LENGTH + 1}`),
      z.refine((text) => text === "" || type !== "email" || EMAIL.test(text), "validation.email"),
      z.refine((text) => text === "" || type !== "phone" || PHONE.test(text), "validation.phone"),
    );
  return z.object(Object.fromEntries(fields.map((field) => [field.name, rule(field)])));
}

export const deviceCode = z.object({ code: required("validation.required") });
