import { type Api, isApiMethod, pause } from "../api";
import type { CallSignal, Ports } from "../eventlog/gate";
import type { Outbox } from "../outbox";
import type { Calls, Method } from "../ports/calls";
import { PortError } from "../ports/error";
import type { SyncClient } from "../sync";
import { drawNumber, newUuid } from "./ambient";

/** What the sagas' calls are answered by. */
export interface PortParts {
  api: Api;
  outbox: Outbox;
  sync: SyncClient;
  /** Hands what became of items to the site. */
  collect(): Promise<void>;
  /** Settles once everything recorded so far is durable, and the leader has folded what this page posted. May take for ever. */
  flush(): Promise<void>;
  /** Loads a container of the tag manager. */
  openTagManager(container: string): void;
  /** Hands an entry to its data layer. */
  tag(entry: object): void;
  reload(): void;
  openUrl(url: string): void;
}

/** The calls that are not the channel's API. */
type OwnMethod = Exclude<Method, `api.${string}` | `account.${string}` | `payments.${string}`>;
type Handlers = {
  readonly [M in OwnMethod]: (args: Calls[M]["args"], signal: AbortSignal) => Promise<Calls[M]["answer"]>;
};

/** Timers longer than the browser's limit would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** How long storing may take, here and with the leader, milliseconds. */
const STORING_MS = 10_000;

/** The one failure of storing, whoever was to do it: processes go on from it, and it says nothing of the disk to a viewer. */
const notStored = (): PortError =>
  new PortError({
    code: "not_stored",
    message: "Something went wrong. Please try again or contact technical support.",
    retryable: true,
  });

/** Stores in time, or fails. */
async function stored(store: () => Promise<void>): Promise<void> {
  const over = new AbortController();
  const tooLong = pause(STORING_MS, over.signal).then(() => Promise.reject(notStored()));
  try {
    await Promise.race([store(), tooLong]);
  } catch {
    throw notStored();
  } finally {
    over.abort();
  }
}

/** Only pages of the web and of this site are opened: an address from elsewhere must not run a script. */
function checked(url: string): string {
  const { protocol } = new URL(url, globalThis.location.href);
  if (protocol === "https:" || protocol === "http:") return url;
  throw new PortError({ code: "bad_url", message: "The link leads nowhere." });
}

function handlers(parts: PortParts): Handlers {
  const { outbox, sync } = parts;
  return {
    async "clock.sleep"({ ms }, signal) {
      let left = ms;
      do {
        const part = Math.min(left, LONGEST_TIMER_MS);
        await pause(part, signal);
        left -= part;
      } while (left > 0);
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
      await parts.collect();
      return report;
    },
    "outbox.drainAnalytics": ({ session }) => outbox.drainAnalytics(session),
    async "outbox.forget"() {
      await outbox.forgetAnalytics();
      return null;
    },
    async "ui.openTagManager"({ container }) {
      parts.openTagManager(container);
      return null;
    },
    async "ui.tag"({ entry }) {
      parts.tag(entry);
      return null;
    },
    async "storage.flush"() {
      await stored(parts.flush);
      return null;
    },
    async "ui.reload"() {
      parts.reload();
      return null;
    },
    async "ui.openUrl"({ url }) {
      parts.openUrl(checked(url));
      return null;
    },
    async "ui.download"({ handle }) {
      const { account } = parts.api;
      const address: unknown = account.held(handle)?.download_url;
      account.forget(handle);
      // The page that asked is gone: the viewer asks again.
      if (typeof address !== "string") throw new PortError({ code: "form_gone", message: "The link leads nowhere." });
      parts.openUrl(checked(address));
      return null;
    },
  };
}

/** The real world behind the gate. */
export function createPorts(parts: PortParts): Ports {
  const own: { readonly [method: string]: (args: never, signal: AbortSignal) => Promise<unknown> } = handlers(parts);
  return {
    call(method: string, args: object, given: CallSignal) {
      // The event log knows only the part of a signal that every realm has; this realm's signals are whole.
      const signal = given as AbortSignal;
      if (isApiMethod(method)) return parts.api.call(method, args, signal);
      const handler = own[method];
      if (!handler) throw new PortError({ code: "no_such_call", message: `no port answers ${method}` });
      return handler(args as never, signal);
    },
    draw: drawNumber,
    newId: () => newUuid(),
  };
}
