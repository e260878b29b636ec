// Lists unreachable code: calls of the API document that the site doesn't make, port methods without a caller, sagas
// that nothing starts, actions that a saga takes and only tests create, selectors without a reader, settings of the
// worker named only in their table, and fields of a channel's folder that neither the worker nor the site reads.
// It looks for names, not for meaning: any mention in code besides the declaration counts. Exceptions are listed with
// their reasons in unreached.json, which `make check` enforces; an exception that is reached now is reported.
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const REASONS = "web/scripts/unreached.json";

/** Product code under a folder, without tests and generated files. */
async function sources(folder, ending) {
  const names = await readdir(`${root}${folder}`, { recursive: true });
  const sourceNames = names.filter((name) => name.endsWith(ending) && !/test|generated/.test(name));
  return Promise.all(
    sourceNames.map(async (name) => ({
      name: `${folder}/${name}`,
      text: await readFile(`${root}${folder}/${name}`, "utf8"),
    })),
  );
}

const withoutComments = (text) => text.replace(/\/\*[\s\S]*?\*\/|(?<![:"'`/])\/\/.*$/gm, "");
const web = [
  ...(await sources("web/src", ".ts")),
  ...(await sources("web/src", ".tsx")),
  ...(await sources("web/sw", ".ts")),
];
const worker = (
  await Promise.all(
    ["channel", "domain", "store", "sync", "touchline", "datalake"].map((sourceFolder) =>
      sources(`worker/${sourceFolder}/src`, ".rs"),
    ),
  )
).flat();
for (const file of [...web, ...worker]) file.text = withoutComments(file.text);

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const isIn = (files, pattern) => files.some(({ text }) => pattern.test(text));
const wholeName = (name) => new RegExp(`(?<![\\w-])${escaped(name)}(?![\\w-])`);
const times = (files, name) =>
  files.reduce((sum, { text }) => sum + [...text.matchAll(new RegExp(wholeName(name), "g"))].length, 0);

/** The calls of the document whose path doesn't occur in the site. */
async function calls() {
  const { paths } = JSON.parse(await readFile(`${root}docs/openapi.json`, "utf8"));
  return Object.entries(paths).flatMap(([path, operations]) => {
    const callPath = escaped(path.replace(/^\/api/, "")).replace(/\\\{\w+\\\}/g, "\\$\\{[^}]+\\}");
    // Some are named with the API's own prefix, a trailing slash, or the part after `/stripe/`.
    const named = [callPath, callPath.replace(/^\/stripe\//, "")].join("|");
    if (isIn(web, new RegExp(`["'\`](?:\\$\\{\\w+\\}|/api)?(?:${named})/?["'\`?]`))) return [];
    return Object.keys(operations).map((method) => `call ${method.toUpperCase()} ${path}`);
  });
}

/** Methods of `ports/calls.ts` that no saga and no screen requests: a slice only lists types and folds answers. */
function methods() {
  const declared = web.find(({ name }) => name.endsWith("ports/calls.ts"));
  const askers = web.filter(({ name }) => !/\/(ports\/calls|api|session|slices)\b/.test(name));
  const names = [...declared.text.matchAll(/^ {2}"([a-z]+\.\w+)": Call</gm)].map(([, name]) => name);
  return names.filter((name) => !isIn(askers, new RegExp(`["']${escaped(name)}["']`))).map((name) => `method ${name}`);
}

/** Exports of a folder that match a pattern and aren't named a second time. The linter rejects unused imports. */
function exported(sourceFolder, pattern, kind) {
  return web
    .filter(({ name }) => name.startsWith(`web/src/${sourceFolder}/`))
    .flatMap(({ text }) => [...text.matchAll(pattern)].map(([, name]) => name))
    .filter((name) => times(web, name) < 2)
    .map((name) => `${kind} ${name}`);
}

/**
 * Actions that a saga takes, by itself or in a list, and that no code creates. An action is named by its slice
 * (`clipsActions.deletePressed`), destructured from it (`const { ended } = prerollActions`), or exported by itself; a
 * call of the name creates it.
 */
function actions() {
  const alone = new Set(
    web.flatMap(({ text }) => [...text.matchAll(/^export const (\w+) = createAction\b/gm)].map(([, name]) => name)),
  );
  const [handled, created] = [new Set(), new Set()];
  for (const { name: file, text } of web) {
    const isSaga = file.startsWith("web/src/sagas/");
    const note = (action, after) => {
      if (after === "(") created.add(action);
      else if (isSaga) handled.add(action);
    };
    const code = text.replace(/^import [^;]*;/gm, "");
    for (const [, action, after] of code.matchAll(/\b(\w+(?:Actions|Inputs)\.\w+)(\(?)/g)) note(action, after);
    const named = new Map([...alone].map((name) => [name, name]));
    for (const [, names, slice] of code.matchAll(/const \{ ([^}]+) \} = (\w+(?:Actions|Inputs));/g))
      for (const name of names.split(", ")) named.set(name, `${slice}.${name}`);
    const used = code.replace(/const \{ [^}]+ \} = \w+(?:Actions|Inputs);|^export const \w+ =/gm, "");
    for (const [, name, after] of used.matchAll(/(?<![.\w])(\w+)(\(?)/g)) {
      const action = named.get(name);
      if (action !== undefined) note(action, after);
    }
  }
  return [...handled].filter((action) => !created.has(action)).map((action) => `action ${action}`);
}

/** Keys of the settings table that no other code of the worker names. */
function settings() {
  const table = worker.find(({ name }) => name.endsWith("config/settings.rs"));
  const readers = worker.filter((file) => file !== table);
  const keys = [...table.text.matchAll(/(?:one|secret)\(\s*"([a-z_.]+)"|key: "([a-z_.]+)"/g)].map(
    ([, one, other]) => one ?? other,
  );
  return keys.filter((key) => !isIn(readers, new RegExp(`"${escaped(key)}"`))).map((key) => `setting ${key}`);
}

/** Parsed settings that nothing outside their module reads. */
function configured() {
  const config = worker.find(({ name }) => name.endsWith("touchline/src/config/mod.rs"));
  const readers = worker.filter(({ name }) => !/config\/(mod|values|layers|settings|tests)\.rs$/.test(name));
  const fields = [...config.text.matchAll(/^ {4}pub\(crate\) (\w+): /gm)].map(([, name]) => name);
  return fields.filter((name) => !isIn(readers, wholeName(name))).map((name) => `setting's field ${name}`);
}

/** Keys of a channel's folder that are parsed, and then unused. */
function folder() {
  const isReader = ({ name }) => name.includes("channel/src/catalogue/read");
  const readers = [...worker.filter(({ name }) => !name.includes("channel/src/catalogue/read")), ...web];
  const keys = worker
    .filter(isReader)
    .flatMap(({ text }) =>
      [...text.matchAll(/\b(?!fault\b)\w+(?:::<[^>]*>)?\(\s*"([a-z][a-z_-]*[a-z_])"/g)].map(([, key]) => key),
    );
  const camel = (key) => key.replace(/[-_](\w)/g, (_, letter) => letter.toUpperCase());
  const named = (key) =>
    isIn(readers, wholeName(key)) ||
    isIn(readers, wholeName(key.replaceAll("-", "_"))) ||
    isIn(web, wholeName(camel(key)));
  return [...new Set(keys)].filter((key) => !named(key)).map((key) => `folder's field ${key}`);
}

const SAGA = /^export function\* (\w+)/gm;
const SELECTOR = /^export (?:const|function) (select\w+)/gm;
const found = [
  ...(await calls()),
  ...methods(),
  ...exported("sagas", SAGA, "saga"),
  ...actions(),
  ...exported("slices", SELECTOR, "selector"),
  ...settings(),
  ...configured(),
  ...folder(),
];
const reasons = JSON.parse(await readFile(root + REASONS, "utf8"));
const open = found.filter((one) => !reasons[one]);
const idle = Object.keys(reasons).filter((one) => !found.includes(one));
if (!process.argv.includes("--check")) for (const one of found) console.log(`${one}: ${reasons[one] ?? "unreachable"}`);
for (const one of idle) console.error(`${REASONS} has an entry that is reached, or does not exist: ${one}`);
if (open.length > 0)
  console.error(`${open.length} unreachable without a reason: remove them, or say in ${REASONS} who needs them`);
process.exitCode = open.length > 0 ? 1 : 0;
