import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const css = readFileSync(new URL("tokens.css", import.meta.url), "utf8");

const shadesOf = (colour: string): number[] => {
  const shade = new RegExp(`--${colour}-(\\d+): color-mix\\(in srgb, var\\(--${colour}\\) \\1%, transparent\\);`, "g");
  return [...css.matchAll(shade)].map(([, percent]) => Number(percent));
};

it.each([
  ["footer-background", [20, 50, 70]],
  ["body-background", [10, 20, 50, 70]],
  ["body-text-color", [5, 10, 20, 50, 70, 95]],
  ["header-text-color", [50]],
])("the shades of %s are opacities of it: %j (SET-2)", (colour, shades) => {
  expect(shadesOf(colour)).toEqual(shades);
});

const styles = readdirSync(fileURLToPath(new URL("..", import.meta.url)), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".css"))
  .map((name) => readFileSync(new URL(`../${name}`, import.meta.url), "utf8"))
  .join("\n");

/** Custom properties that no declaration reads. */
function unread(css: string): string[] {
  const declared = [...css.matchAll(/^\s*(--[\w-]+):/gm)].map(([, name]) => name as string);
  return [...new Set(declared)].filter((name) => !css.includes(`var(${name})`) && !css.includes(`var(${name},`));
}

it("every shade is used by a style (SET-2)", () => {
  expect(unread(styles).filter((name) => /-(?:text-color|background)-\d+$/.test(name))).toEqual([]);
});

it("cards are 280 to 380 px wide (VOD-2)", () => {
  const width = (name: string) => new RegExp(`--card-${name}: (\\d+px);`).exec(css)?.[1];
  expect([width("min"), width("max")]).toEqual(["280px", "380px"]);
});
