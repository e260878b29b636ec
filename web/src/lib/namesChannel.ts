/** Whether an address names a channel: only the worker knows where another one's site is, and leads there (NAV-8). */
export const namesChannel = (to: unknown): boolean => typeof to === "string" && /[?&]channel=/.test(to);
