import type { ColorSettings } from "../contracts/resources";

/** What the shell knows of its channel before anything is asked. Nothing in it is secret or anyone's own. */
export interface ShellConfig {
  readonly channelKey: string;
  readonly language: string;
  readonly name: string;
  readonly colours: Partial<ColorSettings>;
  /** The build of the site, as its log names it. */
  readonly build: string;
  /** Whether analytics are sent even from localhost. */
  readonly sendsAnalyticsFromLocalhost: boolean;
}

const isFields = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const text = (value: unknown, otherwise: string): string => (typeof value === "string" ? value : otherwise);

/** Reads the shell's configuration. A shell without one (the development server's) is a channel without a name. */
export function readShellConfig(json: string | null): ShellConfig {
  let config: unknown = null;
  try {
    config = JSON.parse(json ?? "null");
  } catch {
    // A shell that was cut off on its way still starts: what it lacks is loaded from the channel.
  }
  const fields = isFields(config) ? config : {};
  const shared = isFields(fields.public) ? fields.public : {};
  const colours = isFields(fields.colors) ? fields.colors : {};
  return {
    channelKey: text(fields.channel_key, ""),
    language: text(fields.language, "en"),
    name: text(fields.name, "Touchline"),
    colours: { ...colours, scheme: text(fields.scheme, text(colours.scheme, "dark")) },
    build: text(shared.build, "development"),
    sendsAnalyticsFromLocalhost: shared.analytics_allow_localhost === true,
  };
}
