// Names that pure folders may use without an import: the language, except its clock, randomness and locale.

const language = [
  ..."undefined NaN Infinity Object Array Map Set WeakMap WeakSet String Number Boolean BigInt Symbol RegExp".split(
    " ",
  ),
  ..."Error TypeError RangeError JSON Math Intl Date encodeURIComponent decodeURIComponent".split(" "),
];

/** The event log's gate holds promises and their AbortController, so that sagas don't. */
const besides = { eventlog: ["Promise", "AbortController"] };

const allowed = {
  Date: (member) => ["parse", "UTC"].includes(member),
  Math: (member) => member !== null && member !== "random",
  Intl: (member) => ["NumberFormat", "PluralRules"].includes(member),
};

/** Whether the folder may use this global at all. */
export function mayName(room, name) {
  return language.includes(name) || Boolean(besides[room]?.includes(name));
}

/** Whether only some of this global's members may be used. */
export function isPartlyAmbient(name) {
  return Object.hasOwn(allowed, name);
}

/** Whether this member may be used; a member with a computed name (null) may not. */
export function mayUse(name, member) {
  return allowed[name](member);
}

/** Whether a date's text means one moment everywhere: a day alone is UTC, a time without a zone is the machine's. */
export const namesItsZone = (text) => /^\d{4}(-\d\d){0,2}$|(Z|GMT|UTC|[+-]\d\d:?\d\d)$/i.test(text);

/** Members of dates, numbers and strings that depend on the machine's locale or time zone. */
export const localMember =
  /^(toLocale\w*|localeCompare|toDateString|toTimeString|getTimezoneOffset|getYear|setYear|[gs]et(FullYear|Month|Date|Day|Hours|Minutes))$/;
