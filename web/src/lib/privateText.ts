/** An email address, complete or half-typed. */
const ADDRESS = /[^\s@＠]{1,256}(?:[@＠]|%40)[^\s@＠]*/giu;
/** Seven digits and more, grouped in any way. */
const NUMBER = /\+?\(?\p{Nd}(?:[\s().+/\p{Pd}]{0,3}\p{Nd}){6,}/gu;
/** Seasons and days, which viewers search for. */
const DATE = /^(?:(?:19|20)\d\d[-/ ]+(?:19|20)\d\d|\d{4}-\d\d-\d\d)$/;

/**
 * Replaces the parts of a typed text that look like an email address, a phone number or a card number (LOG-2). A pause
 * while typing records what was typed so far, so a part of a number counts as one.
 */
export const withoutPrivate = (text: string, standIn: (found: string) => string): string =>
  text.replace(ADDRESS, standIn).replace(NUMBER, (found) => (DATE.test(found) ? found : standIn(found)));

/** Replaces the addresses of a text whose numbers are nobody's, such as a link's tracking value (LOG-2). */
export const withoutAddresses = (text: string): string => text.replace(ADDRESS, "[private]");

/** Whether a typed text contains such a part. */
export const isPrivate = (text: string): boolean => withoutPrivate(text, () => "") !== text;
