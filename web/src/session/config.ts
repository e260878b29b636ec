import type { ColorSettings } from "../contracts/resources";

/** The shell's facts about its channel before any call. Nothing in it is secret or personal. */
export interface ShellConfig {
  readonly channelKey: string;
  readonly language: string;
  readonly name: string;
  readonly colours: Partial<ColorSettings>;
  /** The site's build, as its log names it. */
  readonly build: string;
  /** Whether analytics are sent even from localhost. */
  readonly sendsAnalyticsFromLocalhost: boolean;
}

const isFields = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const text = (value: unknown, otherwise: string): string => (typeof value === "string" ? value : otherwise);

/** Reads the shell's configuration. Without one (the development server's shell) the channel has no name. */
export function readShellConfig(json: string | null): ShellConfig {
  let config: unknown = null;
  try {
    config = JSON.parse(json ?? "null");
  } catch {
    // A truncated shell still starts: missing data is loaded from the channel.
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
