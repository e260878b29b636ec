import { beforeAll, describe, expect, it } from "vitest";
import { newTexts, speak } from "./locale";
import { sentence } from "./sentence";

const texts = newTexts();

describe("sentences of the error catalogue", () => {
  beforeAll(async () => {
    await speak("fr", texts);
  });

  it("are told in the language of the page", () => {
    expect(sentence(texts.spoken().t, "Wrong promo code.")).toBe("Code promotionnel invalide.");
    expect(sentence(texts.spoken().t, "A valid email address is required")).toBe(
      "Une adresse courriel valide est requise",
    );
  });

  it("keep what is filled in", () => {
    expect(sentence(texts.spoken().t, "Field length must be less than 100.")).toBe(
      "Le champ doit compter moins de 100 caractères.",
    );
  });

  it("are shown as they came when the catalogue does not know them", () => {
    expect(sentence(texts.spoken().t, "Your card is of a brand that nobody knows.")).toBe(
      "Your card is of a brand that nobody knows.",
    );
  });
});
