import { test as journey } from "./journey";
import { type Spoiler, spoilBefore } from "./mediaProxy";

/** A journey whose browser reaches its worker through a proxy that spoils media. */
export const test = journey.extend<{ spoiler: Spoiler }>({
  spoiler: async ({ worker }, use) => {
    const spoiler = await spoilBefore(worker);
    await use(spoiler);
    spoiler.close();
  },
  baseURL: async ({ spoiler }, use) => use(spoiler.origin),
});
