/** Whose answer a call's answer is: everyone's, everyone's as long as nobody is logged in, or one person's. */
export type Audience = "everyone" | "anonymous" | "person";

const EVERYONE = [
  /^\/api\/(settings|menu|pages|faq|popups|participants|participant-groups|participant-group-properties)$/,
  /^\/api\/(color-settings|slides)\/web$/,
  /^\/api\/(events-categories|events-locations|vod-media-categories|subscriptions)$/,
  /^\/api\/packages\/contents$/,
  /^\/api\/pages\/\d+$/,
  /^\/api\/custom-forms\/[^/]+$/,
];

// These tell a logged-in viewer what they own.
const ANONYMOUS = [
  /^\/api\/(channel-bootstrap-data|events|events-for-homepage|packages|vod-media-items|vod-media-rails)$/,
  /^\/api\/(events|packages|vod-media-items)\/\d+$/,
  /^\/api\/vod-media\/search$/,
];

/** What of the channel's API may be kept for times without a network. All that is not named here is one person's. */
export function audienceOf(pathname: string): Audience {
  if (EVERYONE.some((pattern) => pattern.test(pathname))) return "everyone";
  return ANONYMOUS.some((pattern) => pattern.test(pathname)) ? "anonymous" : "person";
}

/** The address under which an answer is kept: without the key that it was asked with. */
export function keptUnder(address: string): string {
  const url = new URL(address);
  url.searchParams.delete("api_key");
  url.searchParams.sort();
  return url.href;
}

/** A JSON body that the API's client would take too: a captive portal answers 200 with a page of its own. */
export async function isAnswer(response: Response): Promise<boolean> {
  if (response.status !== 200 || !/\bjson\b/i.test(response.headers.get("content-type") ?? "")) return false;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return typeof body === "object" && body !== null && "data" in body;
}

/** Marks an answer that comes from the cache because the channel could not be reached. */
export const STALE_HEADER = "x-touchline-stale";

/**
 * The answer as it is kept. A response remembers the address that it came from, key and all, and a cache writes that to
 * disk: the copy has none. It is marked, so that whoever is given it later knows that it is an old one.
 */
export async function keptCopy(response: Response): Promise<Response> {
  const headers = new Headers(response.headers);
  headers.set(STALE_HEADER, "1");
  headers.delete("x-request-id");
  return new Response(await response.blob(), { status: response.status, headers });
}

/** Pictures that everyone may see, in whichever width; a signed address is one viewer's, and expires. */
export const isPublicPicture = (url: URL, destination: string): boolean =>
  destination === "image" &&
  url.pathname.startsWith("/media/") &&
  !url.pathname.includes("/s/") &&
  /^(?:\?width=\d+)?$/.test(url.search);

/** Paths that are not the site's pages. */
export const NO_PAGES = [
  /^\/(api|media|datalake|sync|storage|keys|docs|demo|assets|sitemaps)(\/|$)/,
  /^\/(healthz|readyz|metrics|config\.json|manifest\.webmanifest|sw\.js|shell\.html|robots\.txt|sitemap\.xml)$/,
];
