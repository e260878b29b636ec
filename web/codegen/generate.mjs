// Generates web/src/contracts/generated from docs/openapi.json. With --check it writes nothing and fails on a
// difference.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import openapiTypes, { astToString } from "openapi-typescript";
import { markedFields } from "./personal.mjs";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const SOURCE = at("../../docs/openapi.json");
const FOLDER = at("../src/contracts/generated/");
const NOTICE = "// Generated from docs/openapi.json by `npm --prefix web run codegen`. Do not edit.\n";

const document = JSON.parse(await readFile(SOURCE, "utf8"));

// The calls themselves are written by hand, in api/endpoints; only their payloads must not drift.
const files = {
  [`${FOLDER}openapi.ts`]: NOTICE + astToString(await openapiTypes({ ...document, paths: {} }, { alphabetize: true })),
  [`${FOLDER}personal.ts`]: `${NOTICE}
/** Fields of answers that the contract marks \`x-personal\`. */
export const personalFields = ${JSON.stringify(markedFields(document, "x-personal"), null, 2)} as const;

/** Fields of answers that the contract marks \`x-secret\`: they open something for whoever holds them. */
export const secretFields = ${JSON.stringify(markedFields(document, "x-secret"), null, 2)} as const;
`,
};

const stale = [];
for (const [path, text] of Object.entries(files)) {
  const before = await readFile(path, "utf8").catch(() => null);
  if (before === text) continue;
  stale.push(path);
}
if (process.argv.includes("--check")) {
  if (stale.length > 0) {
    console.error(`out of date (${stale.join(", ")}): run npm --prefix web run codegen`);
    process.exit(1);
  }
} else {
  await mkdir(FOLDER, { recursive: true });
  for (const path of stale) await writeFile(path, files[path]);
  console.log(stale.length === 0 ? "nothing changed" : `wrote ${stale.join(", ")}`);
}
