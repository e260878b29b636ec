import type { Outbox } from "../outbox";
import type { SyncClient } from "../sync";

/** Loads a part once, when it is first needed; a part that did not arrive is asked for again by the next need. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | null = null;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };
}

/** An outbox whose code arrives after the first page is shown. */
export function lateOutbox(load: () => Promise<Outbox>): Outbox {
  const get = once(load);
  let here: Outbox | null = null;
  const outbox = async (): Promise<Outbox> => {
    here = await get();
    return here;
  };
  return {
    // At once where it can be: what a page records as it goes away must be put in before it is gone.
    put: (item) => here?.put(item) ?? outbox().then((opened) => opened.put(item)),
    drain: async (session) => (await outbox()).drain(session),
    drainAsRemembered: async () => (await outbox()).drainAsRemembered(),
    forget: async (kind) => (await outbox()).forget(kind),
    collect: async (deliver) => (await outbox()).collect(deliver),
    // Before it is here nothing was put in, and nothing is left to send.
    pageHidden: (send) => here?.pageHidden(send) ?? [],
  };
}

/** A status socket whose code arrives after the first page is shown. Calls keep their order. */
export function lateSync(load: () => Promise<SyncClient>): SyncClient {
  const get = once(load);
  // What cannot be loaded opens no socket: `connect` tells, and there is nothing to close or to watch.
  const later = (use: (sync: SyncClient) => void): void => void get().then(use, () => undefined);
  return {
    connect: async (resume, signal) => (await get()).connect(resume, signal),
    close: () => later((sync) => sync.close()),
    watch: (kind, id) => later((sync) => sync.watch(kind, id)),
    unwatch: (kind, id) => later((sync) => sync.unwatch(kind, id)),
  };
}
