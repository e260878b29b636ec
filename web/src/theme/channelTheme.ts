import { bendUntilReadable, contrast, inkOn, mix, parseHex, toHex } from "./colour";

/** What a channel gives: six colours as `#rrggbb` and its scheme. A colour that cannot be read is left as it stands. */
export interface ChannelColours {
  readonly scheme?: string | null | undefined;
  readonly header_background?: string | null | undefined;
  readonly header_text_color?: string | null | undefined;
  readonly body_background?: string | null | undefined;
  readonly body_text_color?: string | null | undefined;
  readonly footer_background?: string | null | undefined;
  readonly footer_text_color?: string | null | undefined;
  readonly accent?: string | null | undefined;
}

const GIVEN = [
  ["header_background", "--header-background"],
  ["header_text_color", "--header-text-color"],
  ["body_background", "--body-background"],
  ["body_text_color", "--body-text-color"],
  ["footer_background", "--footer-background"],
  ["accent", "--accent"],
] as const;

/** The custom properties that `colours` means, computed ones included. */
export function channelProperties(colours: ChannelColours): ReadonlyMap<string, string> {
  const properties = new Map<string, string>();
  for (const [key, property] of GIVEN) {
    const colour = parseHex(colours[key] ?? "");
    if (colour) properties.set(property, toHex(colour));
  }
  const footerText = parseHex(colours.footer_text_color ?? "") ?? parseHex(colours.header_text_color ?? "");
  if (footerText) properties.set("--footer-text-color", toHex(footerText));

  const accent = parseHex(colours.accent ?? "");
  const background = parseHex(colours.body_background ?? "");
  const text = parseHex(colours.body_text_color ?? "");
  if (accent) properties.set("--on-accent", toHex(inkOn(accent)));
  if (accent && background && text) {
    // Accent text also stands on panels, the surface that is nearest to the text: what reads there reads everywhere.
    const panel = mix(background, text, 0.1);
    properties.set("--accent-text", toHex(bendUntilReadable(accent, text, panel)));
  }
  // Where the accent vanishes in the header, the mark of the current place takes the header's own ink.
  const header = parseHex(colours.header_background ?? "");
  const headerText = parseHex(colours.header_text_color ?? "");
  if (accent && header && headerText) {
    properties.set("--bar-mark", toHex(contrast(accent, header) >= 3 ? accent : headerText));
  }
  return properties;
}

/** Dresses the page in a channel's colours, through the CSSOM: the content security policy allows no inline style. */
export function applyChannelColours(colours: ChannelColours, root: HTMLElement): void {
  root.dataset.scheme = colours.scheme === "light" ? "light" : "dark";
  for (const [property, value] of channelProperties(colours)) root.style.setProperty(property, value);
  const header = parseHex(colours.header_background ?? "");
  const meta = root.ownerDocument.querySelector('meta[name="theme-color"]');
  if (header) meta?.setAttribute("content", toHex(header));
}
