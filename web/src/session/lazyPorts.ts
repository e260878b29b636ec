import type { AnalyticsItem } from "../contracts/outbox";
import type { Outbox } from "../outbox";
import type { RobotCheck } from "../ports/robots";
import type { SyncClient } from "../sync";

/** Loads a module once, on first use; a failed load is retried on the next use. */
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

/** An outbox whose code loads after the first page is visible. `store` stores analytics until then. */
export function lazyOutbox(load: () => Promise<Outbox>, store: (item: AnalyticsItem) => Promise<unknown>): Outbox {
  const get = once(load);
  let loaded: Outbox | null = null;
  const outbox = async (): Promise<Outbox> => {
    loaded = await get();
    return loaded;
  };
  return {
    // At once if possible: a closing page must put its events before it is gone.
    async put(item) {
      if (loaded) return loaded.put(item);
      // The viewer's requests are in the state, and the next page puts them again; analytics are nowhere else.
      if (item.kind === "analytics") await store(item);
      else await (await outbox()).put(item);
    },
    drain: async () => (await outbox()).drain(),
    drainAnalytics: async (session) => (await outbox()).drainAnalytics(session),
    drainAsRemembered: async () => (await outbox()).drainAsRemembered(),
    forgetAnalytics: async () => (await outbox()).forgetAnalytics(),
    collect: async (deliver) => (await outbox()).collect(deliver),
    pageHidden: (send) => loaded?.pageHidden(send),
  };
}

/** A status socket whose code loads after the first page is visible. Calls keep their order. */
export function lazySync(load: () => Promise<SyncClient>): SyncClient {
  const get = once(load);
  // If loading fails no socket opens: `connect` reports it, and there is nothing to close or watch.
  const whenLoaded = (use: (sync: SyncClient) => void): void => void get().then(use, () => undefined);
  return {
    connect: async (resume, signal) => (await get()).connect(resume, signal),
    close: () => whenLoaded((sync) => sync.close()),
    watch: (kind, id) => whenLoaded((sync) => sync.watch(kind, id)),
    unwatch: (kind, id) => whenLoaded((sync) => sync.unwatch(kind, id)),
  };
}

/** A robot check whose code loads with the first form that needs one: hardly any page does. */
export function lazyRobotCheck(load: () => Promise<RobotCheck>): RobotCheck {
  const get = once(load);
  return {
    prepare(siteKey) {
      get().then(
        (check) => check.prepare(siteKey),
        () => undefined,
      );
    },
    token: (siteKey, form) =>
      get().then(
        (check) => check.token(siteKey, form),
        () => null,
      ),
  };
}
