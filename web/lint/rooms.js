// The rooms of web/ and which of them each may import: the arrows of docs/architecture.md, "Rooms", held by the linter.

/** room → rooms that it may import besides itself. */
export const arrows = {
  lib: [],
  contracts: ["lib"],
  machines: ["lib", "contracts"],
  ports: ["lib", "contracts"],
  slices: ["lib", "contracts", "machines", "ports", "navigation"],
  navigation: ["lib", "contracts"],
  sagas: ["lib", "contracts", "machines", "ports", "slices", "navigation"],
  eventlog: ["lib", "contracts", "ports"],
  api: ["lib", "contracts", "ports"],
  sync: ["lib", "contracts", "ports"],
  outbox: ["lib", "contracts", "ports"],
  player: ["lib", "contracts", "ports", "components", "i18n", "theme"],
  theme: ["lib", "contracts"],
  i18n: ["lib", "contracts"],
  components: ["lib", "contracts", "theme", "i18n"],
  screens: ["lib", "contracts", "machines", "ports", "slices", "navigation", "player", "components", "theme", "i18n"],
  sw: ["lib", "contracts", "outbox", "api"],
  app: "*",
  replay: ["lib", "contracts", "ports", "machines", "eventlog", "slices", "sagas"],
};

/** Rooms without ambient time, randomness, ids or network: they reach the world through ports. */
export const pure = new Set(["lib", "contracts", "machines", "ports", "slices", "sagas", "navigation", "eventlog"]);

const posix = (path) => path.replaceAll("\\", "/");

/** The room of a file, and null outside the rooms (configuration, tests of the house, journeys). */
export function roomOf(file) {
  const path = posix(file);
  const inside = /\/web\/(?:src\/)?([a-z0-9]+)\//.exec(path);
  return inside && inside[1] in arrows ? inside[1] : null;
}

/** True for tests and what only tests import. */
export function isTest(file) {
  return /\.test\.[tj]sx?$|\/testing\//.test(posix(file));
}

/** The absolute path that a relative import means. */
export function resolve(from, specifier) {
  const parts = posix(from).split("/").slice(0, -1);
  for (const part of specifier.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return `${parts.join("/")}/`;
}
