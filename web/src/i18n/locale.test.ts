import i18next from "i18next";
import { describe, expect, it } from "vitest";
import { en } from "./en";
import { fr } from "./fr";
import { languageOf, speak, startTexts } from "./locale";

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
  const english = leaves(en);
  const french = leaves(fr);

  it("hold the same texts, none of them empty, with the same places to fill", () => {
    expect([...french.keys()].sort()).toEqual([...english.keys()].sort());
    for (const [key, text] of english) {
      expect(text.trim(), key).not.toBe("");
      expect(french.get(key)?.trim(), key).not.toBe("");
      expect(placeholders(french.get(key) ?? ""), key).toEqual(placeholders(text));
    }
  });
});

describe("speaking a language", () => {
  it("fetches French texts before it switches", async () => {
    const texts = startTexts(i18next.createInstance());
    expect(texts.t("nav.login")).toBe("Log in");
    expect(await speak("fr", texts)).toBe("fr");
    expect(texts.t("nav.login")).toBe("Connexion");
  });

  it("falls back to English when the texts do not arrive in time", async () => {
    const texts = startTexts(i18next.createInstance());
    const never = { fr: () => new Promise<never>(() => undefined) };
    expect(await speak("fr", texts, never, 5)).toBe("en");
    expect(texts.t("nav.login")).toBe("Log in");
  });

  it("knows the language of a tag and answers English for those it does not speak", () => {
    expect(languageOf("fr-CA")).toBe("fr");
    expect(languageOf("FR_ca")).toBe("fr");
    expect(languageOf("de")).toBe("en");
    expect(languageOf(undefined)).toBe("en");
  });
});
