import * as z from "zod/mini";

const digits = (text: string) => text.replace(/\D/g, "");

/** Checks a card number's check digit (Luhn). */
export function passesLuhn(number: string): boolean {
  let sum = 0;
  for (const [index, digit] of [...digits(number)].reverse().entries()) {
    const doubled = Number(digit) * (index % 2 === 1 ? 2 : 1);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** Month and four-digit year of `MM / YY`; null for anything else. */
export function expiryOf(text: string): { readonly month: number; readonly year: number } | null {
  const match = /^\s*(\d{1,2})\s*\/?\s*(\d{2}|\d{4})\s*$/.exec(text);
  const month = Number(match?.[1]);
  if (!match || month < 1 || month > 12) return null;
  const year = Number(match[2]);
  return { month, year: year < 100 ? 2000 + year : year };
}

/** A card that is valid at `now` (Unix milliseconds), to the end of its last month. */
export const cardSchema = (now: () => number) =>
  z.object({
    number: z.string().check(
      z.refine((text) => {
        const { length } = digits(text);
        return length >= 12 && length <= 19 && passesLuhn(text);
      }, "validation.cardNumber"),
    ),
    exp: z.string().check(
      z.refine((text) => {
        const expiry = expiryOf(text);
        return expiry !== null && Date.UTC(expiry.year, expiry.month, 1) > now();
      }, "validation.cardExpiry"),
    ),
    cvc: z.string().check(z.regex(/^\s*\d{3,4}\s*$/, "validation.cardCvc")),
  });

/** A card as the account port stores it: digits only, and the expiry as `MM/YY`. */
export function storedCard({ number, exp, cvc }: { number: string; exp: string; cvc: string }) {
  const expiry = expiryOf(exp);
  const two = (value: number) => String(value % 100).padStart(2, "0");
  return {
    number: digits(number),
    exp: expiry ? `${two(expiry.month)}/${two(expiry.year)}` : exp,
    cvc: digits(cvc),
  };
}

/** Groups digits while they are typed, as on a card. */
export const grouped = (text: string): string =>
  digits(text)
    .slice(0, 19)
    .replace(/(\d{4})(?=\d)/g, "$1 ");

/** Formats `MM / YY` while it is typed; a deleted slash stays deleted. */
export function groupedExpiry(text: string, before: string): string {
  const plain = digits(text).slice(0, 4);
  if (text.length < before.length) return text;
  return plain.length >= 2 ? `${plain.slice(0, 2)} / ${plain.slice(2)}` : plain;
}
