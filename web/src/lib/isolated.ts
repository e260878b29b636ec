/** Characters that are written from right to left, or make others so. */
const RTL = /[\u0590-\u08ff\u200f\u202b\u202e\u2067\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * Isolates a name from the text around it, so that neither changes the other's direction (EVENT-9). A name without
 * right-to-left characters is unchanged. Markup has `<bdi>` instead.
 */
export const isolated = (name: string): string => (RTL.test(name) ? `\u2068${name}\u2069` : name);
