import { first } from "./en";
import type { TextKey, Translate } from "./texts";

interface Message {
  readonly key: string;
  readonly pattern: RegExp;
  readonly names: readonly string[];
}

/** English messages that arrive from the server and the state machines. */
const MESSAGES: readonly Message[] = (["validation", "server", "general"] as const).flatMap((section) =>
  Object.entries<string>(first[section]).map(([name, text]) => ({
    key: `${section}.${name}`,
    // A trailing full stop is optional: the catalogue contains messages with and without one.
    pattern: new RegExp(
      `^${text
        .replace(/\.$/, "")
        .replace(/[.*+?^$()|[\]\\]/g, "\\$&")
        .replace(/\{\{\w+\}\}/g, "(.+?)")}\\.?$`,
    ),
    names: [...text.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1] ?? ""),
  })),
);

/** Translates a message of the error catalogue. An unknown message is returned unchanged. */
export function sentence(t: Translate, text: string): string {
  for (const { key, pattern, names } of MESSAGES) {
    const match = pattern.exec(text);
    if (!match) continue;
    return t(key as TextKey, Object.fromEntries(names.map((name, index) => [name, match[index + 1]])));
  }
  return text;
}
