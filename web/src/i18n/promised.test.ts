import { expect, it } from "vitest";
import { first } from "./en";
import { rest } from "./en/rest";
import { type TextKey, Texts } from "./texts";

const texts = new Texts(first);
texts.hold("en", "rest", rest);

const PROMISED = [
  ["EVENT-4", "event.loginToWatch", "LOGIN TO WATCH"],
  ["EVENT-4", "event.registerToWatch", "REGISTER TO WATCH FREE"],
  ["EVENT-5", "event.genderName.male", "Men"],
  ["EVENT-5", "event.genderName.female", "Women"],
  ["PAY-5", "buy.final", "All sales are final, with no refunds."],
  ["SUB-2", "orders.created", "New subscription"],
  ["SUB-2", "orders.updated", "Subscription Renewal"],
  ["LIM-4", "info.reviewed", "Content submissions are reviewed within 5 business days."],
] as const satisfies readonly (readonly [id: string, key: TextKey, words: string])[];

// Texts that requirements fix, beside those of the error catalogue.
it.each(PROMISED)("%s: %s says its words", (_, key, words) => {
  expect(texts.spoken().t(key)).toBe(words);
});
