import localforage from "localforage";

const open = (name: string, storeName: string): LocalForage => localforage.createInstance({ name, storeName });

/** Recorded action logs, in segments. */
export const openLogStorage = (): LocalForage => open("touchline-log", "lines");
/** Snapshots of the state. */
export const openStateStorage = (): LocalForage => open("touchline-state", "snapshots");
