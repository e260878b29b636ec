/** The channel's shell: one document for every page of the site, without any viewer data. */
const SHELL = "/";
/** The worker's address of the shell without a page's content. */
const BARE = "/shell.html";
const CURRENT = "touchline-shell";
const NEXT = "touchline-shell-next";
/** The channel's configuration: present in the shell, and absent from a captive portal's page. */
const CONFIG_MARK = 'id="touchline-config"';

/**
 * Fetches this build's shell. The active service worker keeps its own until this one takes over, since an old shell
 * doesn't work with new files or the reverse.
 */
export async function fetchShell(fetcher: typeof fetch): Promise<void> {
  const response = await fetcher(BARE, { cache: "reload", redirect: "error" });
  const isShell = response.ok && (await response.clone().text()).includes(CONFIG_MARK);
  if (!isShell) throw new Error(`the shell could not be fetched: ${response.status}`);
  await (await caches.open(NEXT)).put(SHELL, response);
}

/** Makes the fetched shell the served one. */
export async function adoptShell(): Promise<void> {
  const next = await (await caches.open(NEXT)).match(SHELL);
  if (next) await (await caches.open(CURRENT)).put(SHELL, next);
  await caches.delete(NEXT);
}

/** The page that other sites may frame (ROUTE-3); the worker's `is_embeddable` has the same rule. */
const EMBEDDABLE = /^\/+watch_embed\/+[1-9]\d{0,14}\/*$/;
const POLICY = "content-security-policy";

/** The same shell under a policy that lets other sites frame it, since it was fetched under the default policy. */
function framable(shell: Response): Response {
  const headers = new Headers(shell.headers);
  const policy = headers.get(POLICY);
  if (policy !== null) headers.set(POLICY, policy.replace(/frame-ancestors [^;,]*/, "frame-ancestors *"));
  return new Response(shell.body, { status: shell.status, headers });
}

/** Timeout of looking up another channel's site, in milliseconds. */
const LOOKUP_TIMEOUT_MS = 4_000;

/** The redirect to the site of the channel that a link names (NAV-8). On any other answer, the page is this site's. */
async function otherChannelRedirect({ url }: Request): Promise<Response | null> {
  if (!new URL(url).searchParams.has("channel")) return null;
  const options = { method: "HEAD", redirect: "manual", signal: AbortSignal.timeout(LOOKUP_TIMEOUT_MS) } as const;
  const answer = await fetch(url, options).catch(() => null);
  return answer?.type === "opaqueredirect" ? answer : null;
}

/** The shell; from the network if there is none, as after clearing the storage. */
export async function serveShell(request: Request): Promise<Response> {
  const location = await otherChannelRedirect(request);
  if (location) return location;
  const shell = await (await caches.open(CURRENT)).match(SHELL);
  if (!shell) return fetch(request);
  return EMBEDDABLE.test(new URL(request.url).pathname) ? framable(shell) : shell;
}
