import { type Api, isApiMethod, pause } from "../api";
import type { CallSignal, Ports } from "../eventlog/gate";
import type { Outbox } from "../outbox";
import type { Calls, Method } from "../ports/calls";
import { PortError } from "../ports/error";
import type { SyncClient } from "../sync";
import { drawNumber, newUuid } from "./ambient";

export interface PortDeps {
  api: Api;
  outbox: Outbox;
  sync: SyncClient;
  /** Delivers outcomes to the site. */
  collect(): Promise<void>;
  /**
   * Settles once everything recorded so far is durable, and the leader has folded this page's intents. May never
   * settle.
   */
  flush(): Promise<void>;
  /** Loads a container of the tag manager. */
  openTagManager(container: string): void;
  /** Pushes an entry to its data layer. */
  tag(entry: object): void;
  reload(): void;
  openUrl(url: string): void;
}

/** Calls outside the channel's API. */
type LocalMethod = Exclude<Method, `api.${string}` | `account.${string}` | `payments.${string}`>;
type Handlers = {
  readonly [M in LocalMethod]: (args: Calls[M]["args"], signal: AbortSignal) => Promise<Calls[M]["answer"]>;
};

/** Timers longer than the browser's limit would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Timeout of storing, including the leader's part, in milliseconds. */
const STORE_TIMEOUT_MS = 10_000;

/**
 * The one failure of storing, local or in the leader: processes continue after it, and the viewer isn't told about the
 * disk.
 */
const notStored = (): PortError =>
  new PortError({
    code: "not_stored",
    message: "Something went wrong. Please try again or contact technical support.",
    retryable: true,
  });

/** Stores within the timeout, or fails. */
async function stored(store: () => Promise<void>): Promise<void> {
  const timedOut = new AbortController();
  const tooLong = pause(STORE_TIMEOUT_MS, timedOut.signal).then(() => Promise.reject(notStored()));
  try {
    await Promise.race([store(), tooLong]);
  } catch {
    throw notStored();
  } finally {
    timedOut.abort();
  }
}

/** Only http(s) addresses and this site's pages are opened: a foreign address must not run a script. */
function checked(url: string): string {
  const { protocol } = new URL(url, globalThis.location.href);
  if (protocol === "https:" || protocol === "http:") return url;
  throw new PortError({ code: "bad_url", message: "This link doesn’t work." });
}

function handlers(deps: PortDeps): Handlers {
  const { outbox, sync } = deps;
  return {
    async "clock.sleep"({ ms }, signal) {
      let remaining = ms;
      do {
        const fields = Math.min(remaining, MAX_TIMER_MS);
        await pause(fields, signal);
        remaining -= fields;
      } while (remaining > 0);
      return null;
    },
    "sync.connect": ({ resume }, signal) => sync.connect(resume, signal),
    async "sync.close"() {
      sync.close();
      return null;
    },
    async "sync.watch"({ kind, id }) {
      sync.watch(kind, id);
      return null;
    },
    async "sync.unwatch"({ kind, id }) {
      sync.unwatch(kind, id);
      return null;
    },
    async "outbox.put"({ item }) {
      await outbox.put(item).catch(() => Promise.reject(notStored()));
      return null;
    },
    async "outbox.drain"() {
      const report = await outbox.drain();
      await deps.collect();
      return report;
    },
    "outbox.drainAnalytics": ({ session }) => outbox.drainAnalytics(session),
    async "outbox.forget"() {
      await outbox.forgetAnalytics();
      return null;
    },
    async "ui.openTagManager"({ container }) {
      deps.openTagManager(container);
      return null;
    },
    async "ui.tag"({ entry }) {
      deps.tag(entry);
      return null;
    },
    async "storage.flush"() {
      await stored(deps.flush);
      return null;
    },
    async "ui.reload"() {
      deps.reload();
      return null;
    },
    async "ui.openUrl"({ url }) {
      deps.openUrl(checked(url));
      return null;
    },
    async "ui.download"({ handle }) {
      const { account } = deps.api;
      const address: unknown = account.formValues(handle)?.download_url;
      account.forget(handle);
      // The requesting page is gone: the viewer requests it again.
      if (typeof address !== "string") throw new PortError({ code: "form_gone", message: "This link doesn’t work." });
      deps.openUrl(checked(address));
      return null;
    },
  };
}

/** The real world behind the gate. */
export function createPorts(deps: PortDeps): Ports {
  const localHandlers: { readonly [method: string]: (args: never, signal: AbortSignal) => Promise<unknown> } =
    handlers(deps);
  return {
    call(method: string, args: object, signalOf: CallSignal) {
      // The event log declares only the common subset of a signal; this realm's signals are complete.
      const signal = signalOf as AbortSignal;
      if (isApiMethod(method)) return deps.api.call(method, args, signal);
      const handler = localHandlers[method];
      if (!handler) throw new PortError({ code: "no_such_call", message: `no port answers ${method}` });
      return handler(args as never, signal);
    },
    draw: drawNumber,
    newId: () => newUuid(),
  };
}
