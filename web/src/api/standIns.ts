import { withoutPrivate } from "../lib/privateText";
import type { AccountPort } from "../ports/account";

/** Maximum number of remembered texts. */
const MAX_TEXTS = 200;
const STAND_IN = /\[private [^\s\]]+\]/g;

/** The end of a handle in letters: a stand-in must not look like a number itself. */
const nameOf = (handle: string): string =>
  handle.slice(-12).replace(/\d/g, (digit) => "ghijklmnop"[Number(digit)] ?? "");

/** Private parts of typed texts, by their stand-ins. They live as long as the page and are never stored (LOG-2). */
export function createStandIns(newHandle: () => string): Pick<AccountPort, "standIn" | "filledIn"> {
  const texts = new Map<string, string>();
  const standIns = new Map<string, string>();

  function standInOf(text: string): string {
    const existing = standIns.get(text);
    if (existing !== undefined) return existing;
    const standIn = `[private ${nameOf(newHandle())}]`;
    standIns.set(text, standIn);
    texts.set(standIn, text);
    const [oldest] = texts;
    if (texts.size > MAX_TEXTS && oldest) {
      texts.delete(oldest[0]);
      standIns.delete(oldest[1]);
    }
    return standIn;
  }

  return {
    standIn: (text) => withoutPrivate(text, standInOf),
    filledIn: (text) => text.replace(STAND_IN, (standIn) => texts.get(standIn) ?? standIn),
  };
}
