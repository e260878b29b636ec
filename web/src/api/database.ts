import localforage from "localforage";

/** The part of localforage that the rooms of this site use: a durable map. */
export interface KeyValue {
  getItem<T>(key: string): Promise<T | null>;
  setItem<T>(key: string, value: T): Promise<T>;
  removeItem(key: string): Promise<void>;
}

/** The one database that holds keys and personal data. Nothing else of the site may: searches of the raw bytes leave it out alone. */
export const ACCOUNT_DATABASE = "touchline-account";

export const openAccountDatabase = (): KeyValue =>
  localforage.createInstance({ name: ACCOUNT_DATABASE, storeName: "account" });
