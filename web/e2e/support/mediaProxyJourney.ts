import { test as journey } from "./journey";
import { type FaultProxy, startFaultProxy } from "./mediaProxy";

/** A journey whose browser reaches its worker through a proxy that spoils media. */
export const test = journey.extend<{ spoiler: FaultProxy }>({
  spoiler: async ({ worker }, use) => {
    const spoiler = await startFaultProxy(worker);
    await use(spoiler);
    spoiler.close();
  },
  baseURL: async ({ spoiler }, use) => use(spoiler.origin),
});
