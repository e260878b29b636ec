import * as z from "zod/mini";

const ATOM = "[\\p{L}\\p{M}\\p{N}_!#$%&'*+/=?^`{|}~-]+";
const LABEL = "[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]{0,61}[\\p{L}\\p{M}\\p{N}])?";
const TOP = "(?:[\\p{L}\\p{M}]{2,63}|[Xx][Nn]--[A-Za-z\\d-]{1,59})";
const BYTE = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
/**
 * Standard address shape: local part, @, a domain whose last part is two letters or more, or a bracketed IPv4, in
 * letters of any script (VAL-1). Registries judge domains more strictly.
 * The worker's rule too: fixtures/contracts holds both to the same cases.
 */
const EMAIL = new RegExp(
  `^(?=.{1,64}@)${ATOM}(?:\\.${ATOM})*@(?:(?:${LABEL}\\.)+${TOP}|\\[${BYTE}(?:\\.${BYTE}){3}\\])$`,
  "u",
);
/** Optional plus sign, then 10 to 14 digits with separators between them, 40 characters at most (VAL-2); the worker's rule too. */
const PHONE = /^\+?(?=[\d(].{0,39}$)(?:[ .()-]*\d){10,14}$/;

/** VAL-5. */
export const PASSWORD = { least: 8, most: 128 } as const;
const NAME_MOST = 100;
const EMAIL_MOST = 254;

/** Messages are keys of the texts, with a number behind a bar where one is to be filled in. */
const required = (message: string) => z.string().check(z.trim(), z.minLength(1, message));
const name = (message: string) =>
  z.string().check(z.trim(), z.minLength(1, message), z.maxLength(NAME_MOST, `validation.shorter|${NAME_MOST}`));

const email = z
  .string()
  .check(
    z.trim(),
    z.minLength(1, "validation.emailMissing"),
    z.maxLength(EMAIL_MOST, `validation.shorter|${EMAIL_MOST}`),
    z.regex(EMAIL, "validation.email"),
  );
const password = z
  .string()
  .check(
    z.minLength(PASSWORD.least, "validation.passwordShort"),
    z.maxLength(PASSWORD.most, `validation.passwordLong|${PASSWORD.most}`),
  );

/** Two passwords that differ blame the second one. */
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
    terms: z.boolean().check(z.refine((accepted) => accepted, "validation.terms")),
  })
  .check(repeated("validation.passwordMatch"));

export const resetRequest = z.object({ email });

/** The channel's own words for two that differ (ERR-8). */
export const reset = z
  .object({ password, password_confirmation: z.string() })
  .check(repeated("server.passwordsDiffer"));

/** An empty phone is none. Without a new password, nothing about passwords is asked. */
export const profile = z
  .object({
    // Empty where this browser does not know it; who takes their own out is told so by the page.
    email: z.string().check(
      z.trim(),
      z.maxLength(EMAIL_MOST, `validation.shorter|${EMAIL_MOST}`),
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

/** The longest answer in a field of a channel's form. */
const ANSWER_MOST = 5_000;

/** A form as the channel describes it (FORM-1): the worker's rules, in its words. */
export function channelForm(fields: readonly { name: string; type: string; required: boolean }[]) {
  const rule = ({ type, required: isRequired }: { type: string; required: boolean }) =>
    z.string().check(
      z.trim(),
      z.refine((text) => text !== "" || !isRequired, "validation.required"),
      z.maxLength(ANSWER_MOST, `validation.shorter|${ANSWER_MOST + 1}`),
      z.refine((text) => text === "" || type !== "email" || EMAIL.test(text), "validation.email"),
      z.refine((text) => text === "" || type !== "phone" || PHONE.test(text), "validation.phone"),
    );
  return z.object(Object.fromEntries(fields.map((field) => [field.name, rule(field)])));
}

export const deviceCode = z.object({ code: required("validation.required") });
