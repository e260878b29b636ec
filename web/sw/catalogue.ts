/** The audience of an answer: everyone, anonymous visitors, or one person. */
export type Audience = "everyone" | "anonymous" | "person";

const EVERYONE = [
  /^\/api\/(settings|menu|pages|faq|popups|participants|participant-groups|participant-group-properties)$/,
  /^\/api\/(color-settings|slides)\/web$/,
  /^\/api\/(events-categories|events-locations|vod-media-categories|subscriptions)$/,
  /^\/api\/packages\/contents$/,
  /^\/api\/pages\/\d+$/,
  /^\/api\/custom-forms\/[^/]+$/,
];

// For signed-in viewers, these include their entitlements.
const ANONYMOUS = [
  /^\/api\/(channel-bootstrap-data|events|events-for-homepage|packages|vod-media-items|vod-media-rails)$/,
  /^\/api\/(events|packages|vod-media-items)\/\d+$/,
  /^\/api\/vod-media\/search$/,
];

/** Calls of the channel's API that may be cached for offline use. All others are personal. */
export function audienceOf(pathname: string): Audience {
  if (EVERYONE.some((pattern) => pattern.test(pathname))) return "everyone";
  return ANONYMOUS.some((pattern) => pattern.test(pathname)) ? "anonymous" : "person";
}

/** The cache key of an answer: its address without the API key. */
export function cacheKeyOf(address: string): string {
  const url = new URL(address);
  url.searchParams.delete("api_key");
  url.searchParams.sort();
  return url.href;
}

/**
 * Whether a response has a JSON body that the API's client would accept: a captive portal answers 200 with a page of
 * its own.
 */
export async function isAnswer(response: Response): Promise<boolean> {
  if (response.status !== 200 || !/\bjson\b/i.test(response.headers.get("content-type") ?? "")) return false;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return typeof body === "object" && body !== null && "data" in body;
}

/** Marks a cached answer given because the channel was unreachable. */
export const STALE_HEADER = "x-touchline-stale";

/**
 * The cached copy of an answer. A response contains its address, including the key, which a cache writes to disk; the
 * copy has none. It is marked as old for later readers.
 */
export async function cacheCopy(response: Response): Promise<Response> {
  const headers = new Headers(response.headers);
  headers.set(STALE_HEADER, "1");
  headers.delete("x-request-id");
  return new Response(await response.blob(), { status: response.status, headers });
}

/** Public images at any width. A signed address is one viewer's, and expires. */
export const isPublicPicture = (url: URL, destination: string): boolean =>
  destination === "image" &&
  url.pathname.startsWith("/media/") &&
  !url.pathname.includes("/s/") &&
  /^(?:\?width=\d+)?$/.test(url.search);

/** Paths that aren't pages of the site. */
export const NO_PAGES = [
  /^\/(api|media|datalake|sync|storage|keys|docs|demo|assets|sitemaps)(\/|$)/,
  /^\/(healthz|readyz|metrics|config\.json|manifest\.webmanifest|sw\.js|shell\.html|robots\.txt|sitemap\.xml)$/,
];
