// The folders of web/ and their allowed imports, enforced by the linter: the arrows of docs/architecture.md, "Which way
// imports run".

import { dirname, relative, resolve } from "node:path";

/** folder → folders that it may import besides itself. */
export const arrows = {
  lib: [],
  contracts: ["lib"],
  machines: ["lib", "contracts"],
  ports: ["lib", "contracts"],
  slices: ["lib", "contracts", "machines", "ports", "navigation"],
  navigation: ["lib", "contracts"],
  sagas: ["lib", "contracts", "machines", "ports", "slices", "navigation"],
  eventlog: ["lib", "contracts", "ports"],
  storage: [],
  api: ["lib", "contracts", "ports", "storage"],
  sync: ["lib", "contracts", "ports"],
  outbox: ["lib", "contracts", "ports", "storage"],
  player: ["lib", "contracts", "ports", "components", "i18n", "theme"],
  theme: ["lib", "contracts"],
  i18n: ["lib", "contracts"],
  components: ["lib", "contracts", "theme", "i18n"],
  screens: ["lib", "contracts", "machines", "ports", "slices", "navigation", "player", "components", "theme", "i18n"],
  sw: ["lib", "contracts", "storage", "outbox", "api"],
  tabs: ["eventlog", "slices", "storage"],
  session: [
    "contracts",
    "machines",
    "ports",
    "slices",
    "sagas",
    "eventlog",
    "storage",
    "api",
    "sync",
    "outbox",
    "tabs",
  ],
  simulate: ["lib", "machines", "ports", "slices", "sagas", "eventlog", "components", "screens", "theme", "i18n"],
  app: "*",
  journeys: [],
  replay: ["lib", "contracts", "ports", "machines", "eventlog", "slices", "sagas", "simulate"],
};

/** Folders without ambient time, randomness, ids or network: they use ports. */
export const pure = new Set(["lib", "contracts", "machines", "ports", "slices", "sagas", "navigation", "eventlog"]);

/** Folders beside src/; others beside it (configuration, journeys, scripts) have no restriction. */
const beside = new Set(["sw", "replay"]);

const web = dirname(import.meta.dirname);

/** A file's path from web/, with forward slashes. */
export function pathOf(file) {
  return relative(web, file).replaceAll("\\", "/");
}

/** The folder of a file, known to `arrows` or not: each folder under src/ is one. Null outside of them all. */
export function folderOf(file) {
  const [first, ...rest] = pathOf(file).split("/");
  if (first === "src") return rest[0] ?? "";
  return beside.has(first) ? first : null;
}

/** Whether the file is a test or only imported by tests. */
export function isTest(file) {
  return /\.test(\.[tj]sx?)?$|\/testing(\/|$)/.test(pathOf(file));
}

/** The absolute path of a relative import. */
export function meant(from, specifier) {
  return resolve(dirname(from), specifier);
}
