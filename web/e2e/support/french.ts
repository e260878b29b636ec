import type { Page } from "@playwright/test";
import { first as englishFirst } from "../../src/i18n/en";
import { rest as englishRest } from "../../src/i18n/en/rest";
import { first as frenchFirst } from "../../src/i18n/fr";
import { rest as frenchRest } from "../../src/i18n/fr/rest";

interface Tree {
  readonly [key: string]: string | Tree;
}

function leaves(tree: Tree, path = ""): [key: string, text: string][] {
  return Object.entries(tree).flatMap(([name, value]) => {
    const key = path === "" ? name : `${path}.${name}`;
    return typeof value === "string" ? [[key, value] as [string, string]] : leaves(value, key);
  });
}

const ENGLISH: Tree = { ...englishFirst, ...englishRest };
const french = new Map(leaves({ ...frenchFirst, ...frenchRest }));
const literal = (text: string) => text.replace(/\{\{\w+\}\}|<\/?\w+>/g, "");

/** The displayed English texts with a different French version. */
const ENGLISH_TEXTS = leaves(ENGLISH)
  .filter(([key, text]) => french.get(key) !== text && /[a-z]{3}/i.test(literal(text)))
  .map(([key, text]) => ({
    key,
    pattern: new RegExp(
      `^${text
        .replace(/<\/?\w+>/g, "")
        .replace(/[.*+?^$()|[\]\\]/g, "\\$&")
        .replace(/\{\{\w+\}\}/g, "(.+?)")}$`,
    ),
  }));
/** The form of a missing text's key. */
const KEY = new RegExp(`^(?:${Object.keys(ENGLISH).join("|")})\\.\\w+`);

/** All text of a page, visible or for screen readers, except parts marked as another language. */
const textsOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const said = new Set<string>();
    const say = (text: string | null) => {
      if (text !== null && text.trim() !== "") said.add(text.trim().replace(/\s+/g, " "));
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { parentElement, textContent } = walker.currentNode;
      if (parentElement && !parentElement.closest("script, style, noscript, [lang]:not(html)")) say(textContent);
    }
    for (const name of ["aria-label", "aria-valuetext", "alt", "placeholder", "title"])
      for (const element of document.querySelectorAll(`body [${name}]`))
        if (!element.closest("[lang]:not(html)")) say(element.getAttribute(name));
    return [...said];
  });

/** English text on a page that should be French, and keys of missing texts. */
export async function englishOf(page: Page): Promise<string[]> {
  const texts = await textsOf(page);
  const language = await page.locator("html").getAttribute("lang");
  return [
    ...(language === "fr" ? [] : [`the page's language is ${language}`]),
    ...texts.filter((text) => KEY.test(text)).map((text) => `no text for ${text}`),
    ...texts.flatMap((text) =>
      ENGLISH_TEXTS.filter(({ pattern }) => pattern.test(text)).map(({ key }) => `English (${key}): ${text}`),
    ),
  ];
}
