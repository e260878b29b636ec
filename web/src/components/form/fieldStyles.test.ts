import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";

const SOURCES = resolve(import.meta.dirname, "../..");
const isOfScreen = (name: string): boolean => /^(screens|components)\/.*\.css$/.test(name);

/** Selectors of rules that draw a border, by file. */
const bordered = (css: string): string[] =>
  [...css.matchAll(/([^{}]+)\{([^{}]*)\}/g)].flatMap(([, selectors = "", body = ""]) =>
    /(^|[;\s])border(?:-(?!radius)\w+)?:(?!\s*(0|none)\b)/.test(body)
      ? selectors.split(",").map((one) => one.trim())
      : [],
  );

it("a field's border is its box's: no rule draws one around the input or select inside", () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter(isOfScreen);
  expect(files.length).toBeGreaterThan(20);
  const controls = files.flatMap((file) => bordered(readFileSync(resolve(SOURCES, file), "utf8")));
  expect(controls).toContain(".field__box");
  expect(controls.filter((one) => /(^|[\s>])(select|input|textarea)$|\.field__input$/.test(one))).toEqual([]);
});
