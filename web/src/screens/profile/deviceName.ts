/** Browsers and their user agent tokens. Browsers that also contain another one's token come first. */
const BROWSERS = [
  ["Edge", /\bEdgA?\b/],
  ["Opera", /\bOPR\b/],
  ["Samsung Internet", /\bSamsungBrowser\b/],
  ["Firefox", /\b(?:Firefox|FxiOS)\b/],
  ["Chrome", /Chrom(?:e|ium)\b|\bCriOS\b/],
  ["Safari", /\bSafari\b/],
] as const;

const SYSTEMS = [
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Android TV", /\bAndroid\b.*\b(?:TV|AFT\w+)\b/],
  ["Android", /\bAndroid\b/],
  ["Windows", /\bWindows\b/],
  ["Mac", /\bMac(?:intosh| OS)\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /\b(?:Linux|X11)\b/],
] as const;

const first = (known: readonly (readonly [string, RegExp])[], text: string): string | undefined =>
  known.find(([, pattern]) => pattern.test(text))?.[0];

/** A device's name: `Chrome, Android` for a browser's user agent; any other name is unchanged. */
export function deviceName(name: string): string {
  if (!name.startsWith("Mozilla/")) return name;
  const names = [first(BROWSERS, name), first(SYSTEMS, name)].filter((word) => word !== undefined);
  return names.length === 0 ? name : names.join(", ");
}
