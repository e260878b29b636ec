/** Whether an address names a channel. Only the worker knows another channel's site and redirects there (NAV-8). */
export const namesChannel = (to: unknown): boolean => typeof to === "string" && /[?&]channel=/.test(to);
