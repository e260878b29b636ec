// What a pure room may name without importing it: the language, less its clock, its chance and its locale.

const language = [
  ..."undefined NaN Infinity Object Array Map Set WeakMap WeakSet String Number Boolean BigInt Symbol RegExp".split(
    " ",
  ),
  ..."Error TypeError RangeError JSON Math Intl Date encodeURIComponent decodeURIComponent".split(" "),
];

/** The gate of the event log holds promises and their AbortController, so that sagas need not. */
const besides = { eventlog: ["Promise", "AbortController"] };

const allowed = {
  Date: (member) => ["parse", "UTC"].includes(member),
  Math: (member) => member !== null && member !== "random",
  Intl: (member) => ["NumberFormat", "PluralRules"].includes(member),
};

/** True when the room may name this global at all. */
export function mayName(room, name) {
  return language.includes(name) || Boolean(besides[room]?.includes(name));
}

/** True when only some of this global's members may be used. */
export function isPartlyAmbient(name) {
  return Object.hasOwn(allowed, name);
}

/** True when this member may be used; a member whose name is computed (null) may not. */
export function mayUse(name, member) {
  return allowed[name](member);
}

/** True when a date's text is of one moment everywhere: a day alone is of UTC, a time without a zone is the machine's. */
export const namesItsZone = (text) => /^\d{4}(-\d\d){0,2}$|(Z|GMT|UTC|[+-]\d\d:?\d\d)$/i.test(text);

/** Members of dates, numbers and strings that answer by the machine's locale or time zone. */
export const localMember =
  /^(toLocale\w*|localeCompare|toDateString|toTimeString|getTimezoneOffset|getYear|setYear|[gs]et(FullYear|Month|Date|Day|Hours|Minutes))$/;
