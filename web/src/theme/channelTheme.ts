import type { ColorSettings } from "../contracts/resources";
import { contrast, inkOn, mix, parseHex, toHex, withReadableContrast } from "./colour";

/** A channel's colours as `#rrggbb` and its scheme. An invalid colour is ignored. */
export type ChannelColours = Partial<ColorSettings>;

const CHANNEL_COLOURS = [
  "header-background",
  "header-text-color",
  "body-background",
  "body-text-color",
  "footer-background",
  "accent",
] as const;

/** The custom properties for `colours`, including derived ones. */
export function channelProperties(colours: ChannelColours): ReadonlyMap<string, string> {
  const properties = new Map<string, string>();
  for (const key of CHANNEL_COLOURS) {
    const colour = parseHex(colours[key] ?? "");
    if (colour) properties.set(`--${key}`, toHex(colour));
  }
  const footerText = parseHex(colours["footer-text-color"] ?? "") ?? parseHex(colours["header-text-color"] ?? "");
  if (footerText) properties.set("--footer-text-color", toHex(footerText));

  const accent = parseHex(colours.accent ?? "");
  const background = parseHex(colours["body-background"] ?? "");
  const text = parseHex(colours["body-text-color"] ?? "");
  if (accent) properties.set("--on-accent", toHex(inkOn(accent)));
  if (accent && background && text) {
    // Accent text also appears on panels, the surface closest to the text colour: it is readable everywhere if it is
    // there.
    const panel = mix(background, text, 0.1);
    properties.set("--accent-text", toHex(withReadableContrast(accent, text, panel)));
  }
  // If the accent is invisible on the header, the header's text colour marks the current entry.
  const header = parseHex(colours["header-background"] ?? "");
  const headerText = parseHex(colours["header-text-color"] ?? "");
  if (accent && header && headerText) {
    properties.set("--bar-mark", toHex(contrast(accent, header) >= 3 ? accent : headerText));
  }
  return properties;
}

/** Applies a channel's colours through the CSSOM: the content security policy forbids inline styles. */
export function applyChannelColours(colours: ChannelColours, root: HTMLElement): void {
  root.dataset.scheme = colours.scheme === "light" ? "light" : "dark";
  for (const [property, value] of channelProperties(colours)) root.style.setProperty(property, value);
  const header = parseHex(colours["header-background"] ?? "");
  const meta = root.ownerDocument.querySelector('meta[name="theme-color"]');
  if (header) meta?.setAttribute("content", toHex(header));
}
