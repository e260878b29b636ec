import { first } from "./en";
import type { TextKey, Translate } from "./texts";

interface Known {
  readonly key: string;
  readonly pattern: RegExp;
  readonly names: readonly string[];
}

/** Sentences that arrive from outside in English: the catalogue of the server and of the machines. */
const KNOWN: readonly Known[] = (["validation", "server", "general"] as const).flatMap((section) =>
  Object.entries<string>(first[section]).map(([name, text]) => ({
    key: `${section}.${name}`,
    // A last full stop makes no difference: the catalogue's own sentences are told with and without.
    pattern: new RegExp(
      `^${text
        .replace(/\.$/, "")
        .replace(/[.*+?^$()|[\]\\]/g, "\\$&")
        .replace(/\{\{\w+\}\}/g, "(.+?)")}\\.?$`,
    ),
    names: [...text.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1] ?? ""),
  })),
);

/**
 * A sentence of the error catalogue in the language of the page. What the catalogue does not know is shown as it came:
 * a foreign sentence says more than none.
 */
export function sentence(t: Translate, text: string): string {
  for (const { key, pattern, names } of KNOWN) {
    const match = pattern.exec(text);
    if (!match) continue;
    return t(key as TextKey, Object.fromEntries(names.map((name, index) => [name, match[index + 1]])));
  }
  return text;
}
