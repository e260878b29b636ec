// Generates web/src/contracts/generated from docs/openapi.json:
//   openapi.ts   the types, untracked; `npm run types` writes them first (--types writes them alone)
//   personal.ts  the personal and secret fields, tracked; --check fails if it differs
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import openapiTypes, { astToString } from "openapi-typescript";
import { markedFields } from "./personal.mjs";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const SOURCE = at("../../docs/openapi.json");
const FOLDER = at("../src/contracts/generated/");
const TYPES = `${FOLDER}openapi.ts`;
const FIELDS = `${FOLDER}personal.ts`;
const NOTICE = "// Generated from docs/openapi.json by `npm --prefix web run codegen`. Do not edit.\n";

const document = JSON.parse(await readFile(SOURCE, "utf8"));

// The calls themselves are written by hand, in api/endpoints; only their payloads must not drift.
const types = async () => NOTICE + astToString(await openapiTypes({ ...document, paths: {} }, { alphabetize: true }));
const fields = `${NOTICE}
/** Fields of answers that the contract marks \`x-personal\`. */
export const personalFields = ${JSON.stringify(markedFields(document, "x-personal"), null, 2)} as const;

/** Fields of answers that the contract marks \`x-secret\`: they grant access to whoever has them. */
export const secretFields = ${JSON.stringify(markedFields(document, "x-secret"), null, 2)} as const;
`;

const isCurrent = async (path, text) => (await readFile(path, "utf8").catch(() => null)) === text;

if (process.argv.includes("--check")) {
  if (!(await isCurrent(FIELDS, fields))) {
    console.error(`out of date (${FIELDS}): run npm --prefix web run codegen`);
    process.exit(1);
  }
} else {
  const files = process.argv.includes("--types") ? [] : [[FIELDS, fields]];
  files.push([TYPES, await types()]);
  await mkdir(FOLDER, { recursive: true });
  for (const [path, text] of files) if (!(await isCurrent(path, text))) await writeFile(path, text);
}
