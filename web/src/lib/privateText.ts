/** An email address, complete or half-typed. */
const ADDRESS = /[^\s@＠]{1,256}(?:[@＠]|%40)[^\s@＠]*/giu;
const MIN_DIGITS = 7;
/** At least that many digits, grouped in any way. */
const NUMBER = /\+?\(?\p{Nd}(?:[\s().+/\p{Pd}]{0,3}\p{Nd}){6,}/gu;
const YEAR = "(?:19|20)\\d\\d";
/** Between two numbers. */
const MARK = "[./\\p{Pd}]";
const DAY = `[0-3]?\\d${MARK}[0-3]?\\d`;
/** Days and seasons, which viewers search for and name clips after. */
const DATES = new RegExp(
  `(?<!\\d)(?:${DAY}${MARK}${YEAR}|${YEAR}${MARK}${DAY}|${YEAR}[/ \\p{Pd}]{1,3}${YEAR}|${YEAR}[/\\p{Pd}]\\d\\d)(?!\\d)`,
  "gu",
);
/** Scores. A longer chain of numbers is a phone number. */
const SCORES = new RegExp(`(?<![\\d./\\p{Pd}])(?:0|[1-9]\\d?)\\p{Pd}(?:0|[1-9]\\d?)(?!${MARK}?\\d)`, "gu");

const isNumber = (digits: string): boolean => {
  const rest = digits.replace(DATES, " ").replace(SCORES, " ");
  return (rest.match(/\p{Nd}/gu) ?? []).length >= MIN_DIGITS;
};

/**
 * Replaces the parts of a typed text that look like an email address, a phone number or a card number (LOG-2). A pause
 * while typing records what was typed so far, so a part of a number counts as one.
 */
export const withoutPrivate = (text: string, standIn: (found: string) => string): string =>
  text.replace(ADDRESS, standIn).replace(NUMBER, (found) => (isNumber(found) ? standIn(found) : found));

/** Replaces a private part permanently. A stand-in that its page replaces again names it: `[private NAME]`. */
export const MASK = "[private]";

/** Whether private parts of a text were replaced. */
export const isMasked = (text: string): boolean => /\[private[ \]]/.test(text);

/** Replaces the addresses of a text whose numbers are nobody's, such as a link's tracking value (LOG-2). */
export const withoutAddresses = (text: string): string => text.replace(ADDRESS, MASK);

/** Whether a typed text contains such a part. */
export const isPrivate = (text: string): boolean => withoutPrivate(text, () => "") !== text;
