const LOCAL = /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/i;

/** ANA-3. Analytics of a site on the developer's machine are recorded and never sent, unless the channel allows it. */
export const sendsAnalyticsFrom = (hostname: string, isLocalhostAllowed: boolean): boolean =>
  isLocalhostAllowed || !LOCAL.test(hostname);
