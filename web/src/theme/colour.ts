/**
 * Contrast calculations (WCAG 2.2, relative luminance) on sRGB colours, so that no channel can choose unreadable
 * buttons.
 */

/** Red, green and blue, each 0 to 255. */
export type Rgb = readonly [number, number, number];

/** Minimum contrast for small text. */
export const READABLE = 4.5;

/** Parses `#rgb` or `#rrggbb`; undefined for anything else. */
export function parseHex(text: string): Rgb | undefined {
  const digits = /^#(?:([0-9a-f]{3})|([0-9a-f]{6}))$/i.exec(text.trim());
  const six = digits?.[2] ?? digits?.[1]?.replace(/./g, "$&$&");
  if (six === undefined) return undefined;
  const whole = Number.parseInt(six, 16);
  return [(whole >> 16) & 255, (whole >> 8) & 255, whole & 255];
}

export function toHex(colour: Rgb): string {
  return `#${colour.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}

/** Mixes `share` (0 to 1) of `second` into `first`, as `color-mix(in srgb, …)` does. */
export function mix(first: Rgb, second: Rgb, share: number): Rgb {
  const part = (index: 0 | 1 | 2) => first[index] + (second[index] - first[index]) * share;
  return [part(0), part(1), part(2)];
}

function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast ratio, from 1 (equal) to 21 (black on white). */
export function contrast(first: Rgb, second: Rgb): number {
  const [dark, light] = [luminance(first), luminance(second)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];

/** The text colour for `accent`: white or near-black, whichever has more contrast. */
export function inkOn(accent: Rgb): Rgb {
  const tinted = mix(BLACK, accent, 0.1);
  const dark = contrast(tinted, accent) >= READABLE ? tinted : BLACK;
  return contrast(WHITE, accent) >= contrast(dark, accent) ? WHITE : dark;
}

/** `accent` as text on `background`, moved towards `text` in steps of 5% until it is readable. */
export function withReadableContrast(accent: Rgb, text: Rgb, background: Rgb): Rgb {
  for (let share = 0; share < 1; share += 0.05) {
    const bent = mix(accent, text, share);
    if (contrast(bent, background) >= READABLE) return bent;
  }
  return text;
}
