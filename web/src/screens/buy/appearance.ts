import type { Appearance } from "@stripe/stripe-js";

/** A computed colour in the form that every browser and frame parses: `rgb(1, 2, 3)`. */
function painted(colour: string): string {
  const paper = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  if (paper === null) return colour;
  paper.fillStyle = colour;
  paper.fillRect(0, 0, 1, 1);
  const [red, green, blue] = paper.getImageData(0, 0, 1, 1).data;
  return `rgb(${red}, ${green}, ${blue})`;
}

/** Styles the provider's fields with the channel's colours inside `box`. */
export function appearanceOf(box: HTMLElement): Appearance {
  const { color, fontFamily, getPropertyValue } = bound(getComputedStyle(box));
  const named = (name: string) => {
    const value = getPropertyValue(name).trim();
    return value === "" ? undefined : painted(value);
  };
  const variables = {
    colorText: painted(color),
    colorBackground: named("--surface-1"),
    colorPrimary: named("--accent"),
    colorDanger: named("--danger"),
    colorTextSecondary: named("--text-muted"),
    borderRadius: "2px",
    fontFamily,
    fontSizeBase: "16px",
  };
  const defined = Object.entries(variables).filter(([, value]) => value !== undefined);
  return { theme: "flat", variables: Object.fromEntries(defined) };
}

const bound = (style: CSSStyleDeclaration) => ({
  color: style.color,
  fontFamily: style.fontFamily,
  getPropertyValue: (name: string) => style.getPropertyValue(name),
});
