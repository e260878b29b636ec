import { IDBFactory, IDBKeyRange } from "fake-indexeddb";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openStateDatabase } from "./stateDatabase";

const real = new IDBFactory();
const fallback = () => ({ load: () => import("./memory"), opened: vi.fn() });

/** A browser whose database opens only once `open` is called. */
function stuckBrowser() {
  let open = (): void => undefined;
  const waiting = new Promise<void>((resolve) => {
    open = resolve;
  });
  const factory = {
    open(name: string, version: number) {
      const request = {} as { [event: string]: unknown };
      void waiting.then(() => {
        const opening = real.open(name, version);
        for (const event of ["onupgradeneeded", "onsuccess", "onerror"] as const)
          opening[event] = () => {
            request.result = opening.result;
            (request[event] as () => void)();
          };
      });
      return request;
    },
  };
  return { factory, open };
}

beforeEach(() => {
  vi.stubGlobal("IDBKeyRange", IDBKeyRange);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("a browser that refuses its database", () => {
  it.each([
    [
      "throws",
      {
        open: () => {
          throw new DOMException("cookies are blocked", "SecurityError");
        },
      },
    ],
    ["is missing", undefined],
  ])("works from memory if it %s", async (_, indexedDB) => {
    vi.stubGlobal("indexedDB", indexedDB);
    if (indexedDB === undefined) vi.stubGlobal("IDBKeyRange", undefined);
    const database = openStateDatabase("refused", fallback());
    expect(await database.lead()).toBe(1);
    const outbox = database.fenced("outbox");
    await outbox.setItem("a1", { value: 1 });
    await outbox.setItem("a2", { value: 2 });
    await outbox.setItem("b1", { value: 3 });
    expect(await outbox.entries("a")).toEqual([
      ["a1", { value: 1 }],
      ["a2", { value: 2 }],
    ]);
    expect(await outbox.trim("a", 1)).toBe(1);
    expect(await outbox.keys()).toEqual(["a2", "b1"]);
  });

  it("rejects without a fallback, as in the service worker", async () => {
    vi.stubGlobal("indexedDB", undefined);
    await expect(openStateDatabase("refused").storage("outbox").keys()).rejects.toThrow();
  });
});

describe("a browser whose database does not open", () => {
  it("goes on in memory after two seconds, and adds what the database lacks once it opens", async () => {
    vi.stubGlobal("indexedDB", real);
    const earlier = openStateDatabase("late");
    await earlier.storage("snapshots").setItem("browser", "stored before");
    const { factory, open } = stuckBrowser();
    vi.stubGlobal("indexedDB", factory);
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const late = fallback();
    const database = openStateDatabase("late", late);
    const storing = database.storage("outbox").setItem("event", "recorded meanwhile");
    await vi.advanceTimersByTimeAsync(2_000);
    vi.useRealTimers();
    await storing;
    await database.storage("snapshots").setItem("browser", "of the memory");
    expect(await earlier.storage("outbox").keys()).toEqual([]);

    open();
    await vi.waitFor(() => expect(late.opened).toHaveBeenCalledOnce(), { timeout: 20_000 });
    expect(await earlier.storage("outbox").getItem("event")).toBe("recorded meanwhile");
    // A purchase in progress may be stored there, so stored data stays.
    expect(await earlier.storage("snapshots").getItem("browser")).toBe("stored before");
  });
});
