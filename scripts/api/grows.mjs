// Calls only grow: browsers with an earlier build send and read what its API document said (OPS-32).
//
//   node scripts/api/grows.mjs   compares docs/openapi.json with its versions of the last two weeks

import { execFileSync } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Days for which an earlier build is served. */
const DAYS = 14;
/** The first commit whose document is compared. */
const SINCE = "daadf29d";
const FILE = "docs/openapi.json";

/** A schema behind its references. */
function resolved(document, schema) {
  let found = schema ?? {};
  while (found.$ref) found = found.$ref.slice(2).split("/").reduce((node, key) => node?.[key], document) ?? {};
  return found;
}

/** The properties of a schema and its parts, by name. */
function propertiesOf(document, schema) {
  const { properties = {}, allOf = [], oneOf = [], anyOf = [] } = resolved(document, schema);
  return Object.assign({}, ...[...allOf, ...oneOf, ...anyOf].map((part) => propertiesOf(document, part)), properties);
}

/** The names of required properties of a schema and its `allOf`. */
function requiredOf(document, schema) {
  const { required = [], allOf = [] } = resolved(document, schema);
  return [...required, ...allOf.flatMap((part) => requiredOf(document, part))];
}

/** The faults of a schema in a request or a response, and of those inside it. */
function schemaFaults(older, newer, before, after, at, isRequest, seen = new Set()) {
  const key = `${before?.$ref} ${after?.$ref}`;
  if (before?.$ref && seen.has(key)) return [];
  const inner = before?.$ref ? new Set(seen).add(key) : seen;
  const faults = [];
  const [now, then] = [propertiesOf(newer, after), propertiesOf(older, before)];
  for (const [name, schema] of Object.entries(then)) {
    if (!(name in now)) faults.push(`${at}.${name} is gone`);
    else faults.push(...schemaFaults(older, newer, schema, now[name], `${at}.${name}`, isRequest, inner));
  }
  if (isRequest) {
    const required = requiredOf(older, before);
    const added = requiredOf(newer, after).filter((name) => !required.includes(name));
    faults.push(...added.map((name) => `${at}.${name} is required`));
  }
  const items = [resolved(older, before).items, resolved(newer, after).items];
  if (items[0] && items[1]) faults.push(...schemaFaults(older, newer, ...items, `${at}[]`, isRequest, inner));
  return faults;
}

const schemaIn = (document, part) => Object.values(resolved(document, part).content ?? {})[0]?.schema;

/** Everything in `newer` that a client of `older` would notice. */
export function faultsOf(older, newer) {
  const faults = [];
  for (const [path, calls] of Object.entries(older.paths))
    for (const [method, before] of Object.entries(calls)) {
      const at = `${method.toUpperCase()} ${path}`;
      const after = newer.paths[path]?.[method];
      if (!after) {
        faults.push(`${at} is gone`);
        continue;
      }
      const parameters = (document, call) => (call.parameters ?? []).map((one) => resolved(document, one));
      const [then, now] = [parameters(older, before), parameters(newer, after)];
      const has = (list, one) => list.find(({ name, in: where }) => name === one.name && where === one.in);
      for (const one of then) if (!has(now, one)) faults.push(`${at}: the parameter ${one.name} is gone`);
      for (const one of now)
        if (one.required && !has(then, one)?.required) faults.push(`${at}: the parameter ${one.name} is required`);
      const bodies = [schemaIn(older, before.requestBody), schemaIn(newer, after.requestBody)];
      if (bodies[0]) faults.push(...schemaFaults(older, newer, ...bodies, `${at} body`, true));
      for (const [status, response] of Object.entries(before.responses ?? {})) {
        if (!status.startsWith("2")) continue;
        const schemas = [schemaIn(older, response), schemaIn(newer, after.responses?.[status])];
        if (!after.responses?.[status]) faults.push(`${at}: the response ${status} is gone`);
        else if (schemas[0]) faults.push(...schemaFaults(older, newer, ...schemas, `${at} ${status}`, false));
      }
    }
  return [...new Set(faults)];
}

function check() {
  const root = resolve(import.meta.dirname, "../..");
  const git = (...args) =>
    execFileSync("git", ["-C", root, ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      maxBuffer: 1 << 26,
    });
  let commits;
  try {
    if (realpathSync(git("rev-parse", "--show-toplevel").trim()) !== realpathSync(root)) return;
    commits = git("rev-list", `--since=${DAYS} days ago`, `${SINCE}~1..HEAD`, "--", FILE).split("\n").filter(Boolean);
  } catch {
    // A tarball or a shallow clone has no earlier versions.
    return;
  }
  const newer = JSON.parse(readFileSync(join(root, FILE), "utf8"));
  const faults = commits.flatMap((commit) => faultsOf(JSON.parse(git("show", `${commit}:${FILE}`)), newer));
  for (const fault of new Set(faults)) console.error(`${FILE}: ${fault}; browsers use it for ${DAYS} days more`);
  if (faults.length > 0) process.exit(1);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) check();
