import type { VirtualBrowser } from "./virtualBrowser";

/** The one object store that may contain a person and their keys. */
const ACCOUNT_STORE = "touchline-state/account";

/** A secret in the forms in which it may be stored. */
const shapesOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  encodeURIComponent(secret).replaceAll("%20", "+"),
  btoa(unescape(encodeURIComponent(secret))).replace(/=+$/, ""),
];

/** Secrets that only the account's own object store may contain: people, keys, passwords, cards, client secrets. */
function secretsOf({ channel }: VirtualBrowser): string[] {
  const { people, orders } = channel.state;
  const personalValues = people.all.flatMap(({ email, password, first_name, last_name }) => [
    email,
    // The demo's passwords are words that a page may contain.
    ...(password === "touchline" ? [] : [password]),
    first_name,
    last_name,
  ]);
  const keys = channel.exchanges.flatMap(({ key }) => key ?? []);
  const numbers = channel.requests("POST /api/stripe/sandbox-card").map(({ body }) => String(body.number));
  const spelled = numbers.flatMap((number) => [number, number.replace(/\d{4}(?=\d)/g, "$& ")]);
  const drawn = orders.all.flatMap(({ order }) => order.next_action?.client_secret ?? []);
  return [...new Set([...personalValues, ...keys, ...people.keys.keys(), ...spelled, ...drawn, "_secret_"])].filter(
    (one) => one.length > 3,
  );
}

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

const bytes = new TextDecoder("latin1");

function textOf(value: unknown): string {
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return bytes.decode(value as ArrayBuffer);
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .flatMap(([key, inner]) => [key, textOf(inner)])
    .join("\n");
}

/** Everything that the site stores in this browser, by location. */
async function storedTexts(): Promise<Map<string, string>> {
  const texts = new Map<string, string>([
    ["localStorage", JSON.stringify(localStorage)],
    ["sessionStorage", JSON.stringify(sessionStorage)],
    ["cookies", document.cookie],
    ["page", [location.href, window.name, JSON.stringify(history.state)].join("\n")],
  ]);
  for (const { name = "" } of await indexedDB.databases()) {
    const database = await done(indexedDB.open(name));
    for (const store of database.objectStoreNames) {
      if (`${name}/${store}` === ACCOUNT_STORE) continue;
      const objects = database.transaction(store).objectStore(store);
      const [keys, values] = await Promise.all([done(objects.getAllKeys()), done(objects.getAll())]);
      keys.forEach((key, index) =>
        texts.set(`${name}/${store}/${String(key)}`, `${String(key)}\n${textOf(values[index])}`),
      );
    }
    database.close();
  }
  return texts;
}

/** The secrets found in the browser's storage, with their locations. A search of nothing fails. */
export async function secretsIn(browser: VirtualBrowser): Promise<{ place: string; secret: string }[]> {
  const texts = await storedTexts();
  if (![...texts.keys()].some((place) => place.startsWith("touchline-log/")))
    return [{ place: "touchline-log", secret: "no recorded log was found to search" }];
  const needles = secretsOf(browser).flatMap(shapesOf);
  return [...texts].flatMap(([place, text]) =>
    needles.filter((needle) => text.includes(needle)).map((secret) => ({ place, secret })),
  );
}
