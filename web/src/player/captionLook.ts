import type { CSSProperties } from "react";
import { usePreference } from "./preferences";

/** Caption style options. The first of each is the default. */
export const LOOKS = {
  size: ["m", "s", "l", "xl"],
  color: ["white", "yellow", "green", "blue"],
  background: ["shade", "none", "solid"],
  edge: ["none", "shadow", "outline"],
  opacity: ["full", "most", "half"],
} as const;

export type LookPart = keyof typeof LOOKS;
export type CaptionLook = { readonly [Part in LookPart]: (typeof LOOKS)[Part][number] };

export const PARTS = Object.keys(LOOKS) as readonly LookPart[];

/** Parses a style such as `l.yellow.none.outline.full`; an unknown option falls back to the default. */
export function lookOf(text: string): CaptionLook {
  const chosen = text.split(".");
  const part = (name: LookPart, at: number) =>
    (LOOKS[name] as readonly string[]).find((choice) => choice === chosen[at]) ?? LOOKS[name][0];
  return Object.fromEntries(PARTS.map((name, at) => [name, part(name, at)])) as unknown as CaptionLook;
}

const SIZES = { s: 0.75, m: 1, l: 1.5, xl: 2 } as const;
const COLORS = { white: "#f7f4ec", yellow: "#ffe14d", green: "#7dff8a", blue: "#8fd0ff" } as const;
const BACKGROUNDS = { shade: "rgb(5 9 15 / 0.78)", none: "transparent", solid: "#05090f" } as const;
const EDGES = {
  none: "none",
  shadow: "0 2px 4px #000, 0 0 2px #000",
  outline: "-1px -1px 0 #000, 1px -1px 0 #000, -1px 1px 0 #000, 1px 1px 0 #000",
} as const;

const OPACITY = { full: 100, most: 75, half: 50 } as const;
const seenThrough = (color: string, percent: number): string =>
  percent === 100 ? color : `color-mix(in srgb, ${color} ${percent}%, transparent)`;

export const styleOf = (look: CaptionLook): CSSProperties =>
  ({
    "--caption-scale": SIZES[look.size],
    "--caption-color": seenThrough(COLORS[look.color], OPACITY[look.opacity]),
    "--caption-background": BACKGROUNDS[look.background],
    "--caption-edge": EDGES[look.edge],
  }) as CSSProperties;

/** The next option of a part, wrapping around; for sizes, the next larger or smaller one without wrapping. */
export function turned<Part extends LookPart>(look: CaptionLook, part: Part, by: 1 | -1): (typeof LOOKS)[Part][number] {
  const choices = LOOKS[part] as readonly (typeof LOOKS)[Part][number][];
  if (part !== "size")
    return choices[(choices.indexOf(look[part]) + by + choices.length) % choices.length] ?? look[part];
  const sizes = choices.toSorted((a, b) => SIZES[a as keyof typeof SIZES] - SIZES[b as keyof typeof SIZES]);
  return sizes[sizes.indexOf(look[part]) + by] ?? look[part];
}

/** The viewer's caption style, and a setter for one part. */
export function useCaptionLook(): readonly [CaptionLook, (part: LookPart, choice: string) => void] {
  const [text, keep] = usePreference("caption_look", "");
  const look = lookOf(text);
  return [look, (part, choice) => keep(PARTS.map((name) => (name === part ? choice : look[name])).join("."))];
}
