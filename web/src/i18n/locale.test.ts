import { describe, expect, it } from "vitest";
import { languageOf } from "../lib/language";
import { first as englishFirst } from "./en";
import { rest as englishRest } from "./en/rest";
import { first as frenchFirst } from "./fr";
import { rest as frenchRest } from "./fr/rest";
import { fetchRest, newTexts, speak } from "./locale";

type Tree = { readonly [key: string]: string | Tree };

function leaves(tree: Tree, path = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const [key, value] of Object.entries(tree)) {
    const here = path === "" ? key : `${path}.${key}`;
    if (typeof value === "string") found.set(here, value);
    else for (const [inner, text] of leaves(value, here)) found.set(inner, text);
  }
  return found;
}

const placeholders = (text: string) =>
  [...text.matchAll(/\{\{(\w+)\}\}|<(\w+)>/g)].map((match) => match[1] ?? match[2]).sort();

describe("the catalogues", () => {
  const english = leaves({ ...englishFirst, ...englishRest });
  const french = leaves({ ...frenchFirst, ...frenchRest });

  it("hold the same texts, none of them empty, with the same places to fill", () => {
    expect([...french.keys()].sort()).toEqual([...english.keys()].sort());
    for (const [key, text] of english) {
      expect(text.trim(), key).not.toBe("");
      expect(french.get(key)?.trim(), key).not.toBe("");
      expect(placeholders(french.get(key) ?? ""), key).toEqual(placeholders(text));
    }
  });
});

describe("speaking a language (START-7)", () => {
  const missing = () => Promise.reject(new Error("no network"));

  it("fetches French texts before it switches", async () => {
    const texts = newTexts();
    expect(texts.spoken().t("nav.login")).toBe("Log in");
    expect(await speak("fr", texts)).toBe("fr");
    expect(texts.spoken()).toMatchObject({ language: "fr" });
    expect(texts.spoken().t("nav.login")).toBe("Connexion");
  });

  it("falls back to English when the texts do not arrive in time", async () => {
    const texts = newTexts();
    const never = () => new Promise<never>(() => undefined);
    const loaders = { en: { first: missing, rest: missing }, fr: { first: never, rest: never } };
    expect(await speak("fr", texts, loaders, 5)).toBe("en");
    expect(texts.spoken().t("nav.login")).toBe("Log in");
  });

  it("has what the home page does not say once it was asked for, in every language from then on", async () => {
    const texts = newTexts();
    expect(texts.spoken().t("paying.close")).toBe("paying.close");
    await fetchRest(texts);
    expect(texts.spoken().t("paying.close")).toBe("Close");
    await speak("fr", texts);
    expect(texts.spoken().t("paying.close")).toBe("Fermer");
  });

  it("tells of what could not be fetched, and fetches it when asked again", async () => {
    const texts = newTexts();
    const unreachable = { first: missing, rest: missing };
    await expect(fetchRest(texts, { en: unreachable, fr: unreachable })).rejects.toThrow("no network");
    await fetchRest(texts);
    expect(texts.spoken().t("paying.close")).toBe("Close");
  });

  it("tells its listeners of another language, until they leave", async () => {
    const texts = newTexts();
    let notifications = 0;
    const leave = texts.subscribe(() => {
      notifications += 1;
    });
    const before = texts.spoken();
    await speak("fr", texts);
    expect(notifications).toBeGreaterThan(0);
    expect(texts.spoken()).not.toBe(before);
    const notificationsBefore = notifications;
    leave();
    await speak("en", texts);
    expect(notifications).toBe(notificationsBefore);
  });

  it("fills the places of a text, and chooses the plural of its language", async () => {
    const texts = newTexts();
    const said = () => [0, 1, 2, 1_000_000].map((count) => texts.spoken().t("day.count", { count }));
    expect(said()).toEqual(["0 events", "1 event", "2 events", "1000000 events"]);
    await speak("fr", texts);
    expect(said()).toEqual(["0 match", "1 match", "2 matchs", "1000000 matchs"]);
    expect(texts.spoken().t("home.slide", { index: 1, count: 3, name: "A" })).toBe("Diapositive 1 sur 3 : A");
    expect(texts.spoken().t("home.slide", { index: 1, name: "A" })).toBe("Diapositive 1 sur {{count}} : A");
  });

  it("knows the language of a tag and answers English for those it does not speak", () => {
    expect(languageOf("fr-CA")).toBe("fr");
    expect(languageOf("FR_ca")).toBe("fr");
    expect(languageOf("de")).toBe("en");
    expect(languageOf(undefined)).toBe("en");
  });
});
