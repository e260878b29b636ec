import { describe, expect, it } from "vitest";
import contact from "../../../../fixtures/contracts/contact-details.json";
import { login, profile, registration } from "./schemas";

const faults = (result: {
  success: boolean;
  error?: { issues: { path: PropertyKey[]; message: string }[] } | undefined;
}) => Object.fromEntries((result.error?.issues ?? []).map(({ path, message }) => [path.join("."), message]));

const person = {
  first_name: "Maya",
  last_name: "Okafor",
  email: "maya@example.com",
  password: "long enough",
  password_confirmation: "long enough",
  terms: true,
};

describe("registration (AUTH-6)", () => {
  it("accepts a whole form", () => {
    expect(faults(registration.safeParse(person))).toEqual({});
  });

  it("says of each field what is wrong with it (VAL-6)", () => {
    const empty = {
      first_name: " ",
      last_name: "",
      email: "",
      password: "1234567",
      password_confirmation: "x",
      terms: false,
    };
    expect(faults(registration.safeParse(empty))).toMatchObject({
      first_name: "validation.firstName",
      last_name: "validation.lastName",
      email: "validation.email",
      password: "validation.passwordShort",
      terms: "validation.terms",
    });
  });

  it("blames the second password when the two differ", () => {
    expect(faults(registration.safeParse({ ...person, password_confirmation: "another one" }))).toEqual({
      password_confirmation: "validation.passwordMatch",
    });
  });

  it("names the bound of a text that is too long", () => {
    expect(faults(registration.safeParse({ ...person, first_name: "a".repeat(101) })).first_name).toBe(
      "validation.shorter|100",
    );
    expect(
      faults(registration.safeParse({ ...person, password: "p".repeat(129), password_confirmation: "p".repeat(129) })),
    ).toEqual({
      password: "validation.passwordLong|128",
    });
  });
});

describe("an e-mail address (VAL-1)", () => {
  const accepts = (email: string) => login.safeParse({ email, password: "x" }).success;

  it.each(contact.email.accepted)("accepts %j, as the worker does", (email) => expect(accepts(email)).toBe(true));

  it.each(contact.email.refused)("refuses %j, as the worker does", (email) => expect(accepts(email)).toBe(false));

  it("answers at once however long the text is", () => {
    const began = performance.now();
    accepts(`${"a.".repeat(5_000)}@${"b-".repeat(5_000)}`);
    expect(performance.now() - began).toBeLessThan(500);
  });
});

describe("the profile", () => {
  const whole = { ...person, phone: "", current_password: "", password: "", password_confirmation: "" };

  it("needs the old password for a new one, and none to change a name", () => {
    expect(profile.safeParse(whole).success).toBe(true);
    const change = { ...whole, password: "a new secret", password_confirmation: "a new secret" };
    expect(faults(profile.safeParse(change))).toEqual({ current_password: "validation.required" });
  });

  const takes = (phone: string) => profile.safeParse({ ...whole, phone }).success;

  it.each(contact.phone.accepted)("takes %j as a phone number, as the worker does (VAL-2)", (phone) =>
    expect(takes(phone)).toBe(true),
  );

  it.each(contact.phone.refused)("refuses %j as a phone number, as the worker does (VAL-2)", (phone) =>
    expect(takes(phone)).toBe(false),
  );
});
