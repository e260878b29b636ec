/** The channel's shell: one document for every page of the site, without anything of the viewer. */
const SHELL = "/";
const CURRENT = "touchline-shell";
const NEXT = "touchline-shell-next";
/** The channel's configuration: what stands in the shell, and in no page that a captive portal puts in its place. */
const MARK = 'id="touchline-config"';

/**
 * Fetches the shell that belongs to this build. The worker that serves pages now keeps its own until this one takes
 * over: an old shell with new files, or the other way round, would be no site at all.
 */
export async function fetchShell(fetcher: typeof fetch): Promise<void> {
  const response = await fetcher(SHELL, { cache: "reload", redirect: "error" });
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

/** The shell; from the network where there is none, which a viewer who cleared their storage would see. */
export async function serveShell(request: Request): Promise<Response> {
  return (await (await caches.open(CURRENT)).match(SHELL)) ?? fetch(request);
}
