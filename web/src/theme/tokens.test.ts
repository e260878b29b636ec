import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const css = readFileSync(new URL("tokens.css", import.meta.url), "utf8");

/** The shades of a colour, as the style sheet has them. */
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

it("cards are 280 to 380 px wide (VOD-2)", () => {
  const width = (name: string) => new RegExp(`--card-${name}: (\\d+px);`).exec(css)?.[1];
  expect([width("min"), width("max")]).toEqual(["280px", "380px"]);
});
