/** The channel's shell: one document for every page of the site, without anything of the viewer. */
const SHELL = "/";
/** Where the worker gives it without a page in it. */
const BARE = "/shell.html";
const CURRENT = "touchline-shell";
const NEXT = "touchline-shell-next";
/** The channel's configuration: what stands in the shell, and in no page that a captive portal puts in its place. */
const MARK = 'id="touchline-config"';

/**
 * Fetches the shell that belongs to this build. The worker that serves pages now keeps its own until this one takes
 * over: an old shell with new files, or the other way round, would be no site at all.
 */
export async function fetchShell(fetcher: typeof fetch): Promise<void> {
  const response = await fetcher(BARE, { cache: "reload", redirect: "error" });
  const isShell = response.ok && (await response.clone().text()).includes(MARK);
  if (!isShell) throw new Error(`the shell could not be fetched: ${response.status}`);
  await (await caches.open(NEXT)).put(SHELL, response);
}

/** Makes the fetched shell the one that is served. */
export async function adoptShell(): Promise<void> {
  const next = await (await caches.open(NEXT)).match(SHELL);
  if (next) await (await caches.open(CURRENT)).put(SHELL, next);
  await caches.delete(NEXT);
}

/** The page that other sites may frame (ROUTE-3); the worker's `is_embeddable` says the same. */
const EMBEDDABLE = /^\/+watch_embed\/+[1-9]\d{0,14}\/*$/;
const POLICY = "content-security-policy";

/** The same shell under a policy that lets other sites frame it: it was fetched for a page that they may not. */
function framable(shell: Response): Response {
  const headers = new Headers(shell.headers);
  const policy = headers.get(POLICY);
  if (policy !== null) headers.set(POLICY, policy.replace(/frame-ancestors [^;,]*/, "frame-ancestors *"));
  return new Response(shell.body, { status: shell.status, headers });
}

/** For how long the worker is asked where another channel's site is, milliseconds. */
const PATIENCE = 4_000;

/** The way to the site of the channel that a link names (NAV-8). Whatever the worker says besides, the page is this site's. */
async function otherChannel({ url }: Request): Promise<Response | null> {
  if (!new URL(url).searchParams.has("channel")) return null;
  const asked = { method: "HEAD", redirect: "manual", signal: AbortSignal.timeout(PATIENCE) } as const;
  const answer = await fetch(url, asked).catch(() => null);
  return answer?.type === "opaqueredirect" ? answer : null;
}

/** The shell; from the network where there is none, which a viewer who cleared their storage would see. */
export async function serveShell(request: Request): Promise<Response> {
  const elsewhere = await otherChannel(request);
  if (elsewhere) return elsewhere;
  const shell = await (await caches.open(CURRENT)).match(SHELL);
  if (!shell) return fetch(request);
  return EMBEDDABLE.test(new URL(request.url).pathname) ? framable(shell) : shell;
}
