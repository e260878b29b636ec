import type { Objects } from "./database";

/** The options that localforage passes to the driver, which identify its object store. */
export interface DriverOptions extends LocalForageOptions {
  readonly objects: Objects;
}
interface Instance {
  _dbInfo: Objects;
}

/** The localforage driver for an object store of a shared, fenced database (ADR 14). */
const driver: LocalForageDriver & ThisType<Instance> = {
  _driver: "touchline-indexeddb",
  _support: true,
  _initStorage(options) {
    this._dbInfo = (options as DriverOptions).objects;
  },
  async getItem<T>(key: string) {
    return ((await this._dbInfo.read((objects) => objects.get(key))) ?? null) as T | null;
  },
  async setItem<T>(key: string, value: T) {
    await this._dbInfo.update([], () => new Map([[key, value ?? null]]));
    return value;
  },
  removeItem(key: string) {
    return this._dbInfo.update([], () => new Map([[key, undefined]]));
  },
  clear() {
    return this._dbInfo.write((objects) => void objects.clear());
  },
  length() {
    return this._dbInfo.read((objects) => objects.count());
  },
  async keys() {
    return (await this._dbInfo.read((objects) => objects.getAllKeys())).map(String);
  },
  async key(index: number) {
    return (await this._dbInfo.read((objects) => objects.getAllKeys())).map(String)[index] as string;
  },
  async iterate<T, U>(visit: (value: T, key: string, count: number) => U) {
    let count = 0;
    for (const [key, value] of await this._dbInfo.entries<T>("")) {
      count += 1;
      const last = visit(value, key, count);
      if (last !== undefined) return last;
    }
    return undefined as U;
  },
};

export default driver;
