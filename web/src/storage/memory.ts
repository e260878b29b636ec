// A database in memory, for browsers that refuse or never open one. It lasts as long as its page.
export { IDBFactory, IDBKeyRange } from "fake-indexeddb";
