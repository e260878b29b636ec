/** An address, complete or half-typed, or seven digits and more, grouped in any way. */
const PRIVATE = /[^\s@＠]{1,256}(?:[@＠]|%40)[^\s@＠]*|\+?\(?\p{Nd}(?:[\s().+/\p{Pd}]{0,3}\p{Nd}){6,}/giu;
/** Seasons and days, which viewers search for. */
const DATE = /^(?:(?:19|20)\d\d[-/ ]+(?:19|20)\d\d|\d{4}-\d\d-\d\d)$/;

/**
 * Replaces the parts of a typed text that look like an email address, a phone number or a card number (LOG-2). A pause
 * while typing records what was typed so far, so a part of a number counts as one.
 */
export const withoutPrivate = (text: string, standIn: (found: string) => string): string =>
  text.replace(PRIVATE, (found) => (DATE.test(found) ? found : standIn(found)));

/** Whether a typed text contains such a part. */
export const isPrivate = (text: string): boolean => withoutPrivate(text, () => "") !== text;
