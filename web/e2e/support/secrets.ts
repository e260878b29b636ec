import type { BrowserContext, Page } from "@playwright/test";
import { VERA } from "./viewer";

/** The one location that may store a person and their keys. */
const ACCOUNT_STORE = "touchline-state/account";

/** Data of the journeys' people that must be nowhere else. A card is also written in groups of four. */
const PEOPLE: readonly string[] = [
  ...Object.values(VERA),
  "demo@northfield.example",
  "temporary@northfield.example",
  "noads@northfield.example",
  "demo@laurentides.example",
  // The demo people's names that are unlikely to match other bytes.
  "Morgan",
  "Olsen",
  "Terry",
  "Tempe",
  "Camille",
  "4242 4242 4242 4242",
  "4000000000000002",
  "4000002500003155",
  // Client secrets of payment and setup intents.
  "_secret_",
];

/** A secret in the forms in which it may be stored. */
const shapesOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  encodeURIComponent(secret).replaceAll("%20", "+"),
  Buffer.from(secret).toString("base64").replace(/=+$/, ""),
];

/** Collects the API keys that a browser receives and uses, and the signatures of its videos' addresses. */
export interface KeyWatch {
  /** Each once, in order of issue. */
  keys(): string[];
  /** Signatures of media addresses, each once. */
  passes(): string[];
  /** Everything that must not be found, in each of its forms. */
  needles(): string[];
}

export function watchKeys(context: BrowserContext): KeyWatch {
  const keys = new Set<string>();
  const passes = new Set<string>();
  context.on("request", (request) => {
    const inQuery = new URL(request.url()).searchParams.get("api_key");
    const inBody = /"api_key":"([^"]+)"/.exec(request.postData() ?? "")?.[1];
    for (const key of [inQuery, inBody]) if (key) keys.add(key);
    const pass = /^\/media\/[^/]+\/[cds]\/[^/]+\/\d+-[\da-f]+-\d+-([^/]+)\//.exec(new URL(request.url()).pathname)?.[1];
    if (pass !== undefined) passes.add(pass);
  });
  return {
    keys: () => [...keys],
    passes: () => [...passes],
    needles: () => [...new Set([...PEOPLE, ...keys, ...passes].flatMap(shapesOf))],
  };
}

/** A secret that was found, and its location. */
export interface Leak {
  readonly location: string;
  readonly needle: string;
}

/** The searched locations: a search of nothing finds nothing. */
export interface Searched {
  readonly leaks: readonly Leak[];
  readonly locations: readonly string[];
}

/**
 * Searches the bytes of everything the site stores in this browser: databases, caches, storages, cookies, the address.
 */
export function searchBrowserStorage(page: Page, needles: readonly string[]): Promise<Searched> {
  return page.evaluate(
    async ({ needles, ACCOUNT_STORE }) => {
      const locations: string[] = [];
      const leaks: { location: string; needle: string }[] = [];
      const latin1 = new TextDecoder("latin1");
      const search = (location: string, text: string): void => {
        locations.push(location);
        for (const needle of needles) if (text.includes(needle)) leaks.push({ location, needle });
      };
      const done = <T>(request: IDBRequest<T>): Promise<T> =>
        new Promise((resolve, reject) => {
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error);
        });
      async function textOf(value: unknown): Promise<string> {
        if (value instanceof Blob) return latin1.decode(await value.arrayBuffer());
        if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return latin1.decode(value);
        if (value instanceof Map || value instanceof Set) return textOf([...value]);
        if (typeof value !== "object" || value === null) return String(value);
        const parts = await Promise.all(Object.entries(value).map(async ([key, inner]) => [key, await textOf(inner)]));
        return parts.flat().join("\n");
      }

      for (const { name = "" } of await indexedDB.databases()) {
        const database = await done(indexedDB.open(name));
        for (const store of database.objectStoreNames) {
          if (`${name}/${store}` === ACCOUNT_STORE) continue;
          const objects = database.transaction(store).objectStore(store);
          const [keys, values] = await Promise.all([done(objects.getAllKeys()), done(objects.getAll())]);
          for (const [index, key] of keys.entries())
            search(`${name}/${store}/${String(key)}`, `${String(key)}\n${await textOf(values[index])}`);
        }
        database.close();
      }
      for (const name of "caches" in window ? await caches.keys() : []) {
        const cache = await caches.open(name);
        for (const request of await cache.keys()) {
          const response = await cache.match(request, { ignoreVary: true });
          const headers = [...request.headers, ...(response?.headers ?? [])].flat().join("\n");
          const body = latin1.decode((await response?.arrayBuffer()) ?? new ArrayBuffer(0));
          search(`cache ${name} ${request.url}`, `${request.url}\n${headers}\n${body}`);
        }
      }
      search("localStorage", JSON.stringify(localStorage));
      search("sessionStorage", JSON.stringify(sessionStorage));
      search("cookies", document.cookie);
      search("page", [location.href, window.name, JSON.stringify(history.state)].join("\n"));
      return { locations, leaks };
    },
    { needles: [...needles], ACCOUNT_STORE },
  );
}
