// Writes docs/coverage.md: each id of docs/requirements, and each clause of an entry with several, beside the tests that
// show it. A test shows what its title or the comment above it names: `PAY-2`, or `PAY-2b` for its clause (b). There are
// three kinds:
// browser a journey of web/e2e: the site in a browser, on the running worker
// worker a black-box test of worker/touchline/tests/worker: HTTP to the running worker
// screens a journey of web/src/journeys: the site in jsdom, on the fake channel
// Journeys on screens count because the fake channel can't differ from the worker: it is checked against the API
// document, and schemathesis.rs makes each call of the document succeed on the running worker and checks the answers.
// The few calls that schemathesis can't make succeed (NEED_MORE) are requested by another black-box test.
// Fails if the fake channel answers a call without such a test, and if an id is open.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cited, defined, idOf, topicsOf } from "./citations.mjs";

const BROWSER = "web/e2e";
const WORKER = "worker/touchline/tests/worker";
const SCREENS = "web/src/journeys";
const FAKE_CHANNEL = `${SCREENS}/testing/channel`;
const KINDS = ["browser", "worker", "screens"];

const JOURNEY =
  /((?:^ *(?:\/\/|\/\*\*|\*).*\n)*)^ *(?:test|journey|inSandbox|inStripe)(?:\.\w+)?\(\s*(["`])((?:(?!\2).)*)\2/gm;
const SCREENS_JOURNEY =
  /((?:^ *(?:\/\/|\/\*\*|\*).*\n)*)^ *(?:journey|onDevice)(?:\.\w+)?\(\s*(["`])((?:(?!\2).)*)\2/gm;
const BLACK_BOX =
  /((?:^ *\/\/\/.*\n)*)(?:^ *#\[.*\]\n)*^ *#\[(?:tokio::)?test[^\n]*\n(?:^ *#\[.*\]\n)*^ *(?:async )?fn (\w+)/gm;

/** The files under a folder, in order, by their path below it. */
function filesUnder(root, folder, ending) {
  if (!existsSync(join(root, folder))) return [];
  const names = readdirSync(join(root, folder), { recursive: true }).filter((name) => ending.test(name));
  return names.sort().map((name) => ({ name, text: readFileSync(join(root, folder, name), "utf8") }));
}

/** The journeys of a file: their cited ids, and their titles without them. */
function journeysIn({ name, text }, pattern, ending) {
  return [...text.matchAll(pattern)].map(([, comment, , title]) => ({
    citing: `${comment} ${title}`,
    title: `${name.replace(ending, "")}: ${title.replace(/ \([A-Z][A-Za-z0-9, -]*\)$/, "")}`,
  }));
}

/** Every test that can show an id, by its kind. */
function testsIn(root) {
  const spec = /\.spec\.ts$/;
  const unit = /\.test\.tsx?$/;
  return {
    browser: filesUnder(root, BROWSER, spec).flatMap((file) => journeysIn(file, JOURNEY, spec)),
    worker: filesUnder(root, WORKER, /\.rs$/).flatMap(({ name, text }) =>
      [...text.matchAll(BLACK_BOX)].map(([, comment, title]) => ({
        citing: comment,
        title: `${name.replace(".rs", "")}: ${title.replaceAll("_", " ")}`,
      })),
    ),
    screens: filesUnder(root, SCREENS, unit).flatMap((file) => journeysIn(file, SCREENS_JOURNEY, unit)),
  };
}

/** Whether a text requests a path of the API document, `{id}` being any one segment. */
function requests(text, path) {
  const inner = path.replace(/^\/(?:api\/)?/, "");
  const pattern = inner.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{\w+\}/g, '[^/\\s"]+');
  return new RegExp(`[/"]${pattern}["?]`).test(text);
}

/** The fake channel's calls that no black-box test makes on the running worker. */
export function untestedCalls(root) {
  const answered = filesUnder(root, FAKE_CHANNEL, /(?<!\.test)\.ts$/).flatMap(
    ({ text }) => text.match(/(?<=")(?:GET|POST|PUT|DELETE) \/[^"\s]*(?=")/g) ?? [],
  );
  const boxes = filesUnder(root, WORKER, /\.rs$/);
  const fuzz = boxes.find(({ name }) => name.endsWith("schemathesis.rs"))?.text ?? "";
  const needMore = fuzz.match(/NEED_MORE: &\[&str\] = &\[([^\]]*)\]/)?.[1] ?? "";
  const { paths } = JSON.parse(readFileSync(join(root, "docs/openapi.json"), "utf8"));
  const isFuzzed = (call) => {
    const [method, path] = call.split(" ");
    return paths[path]?.[method.toLowerCase()] !== undefined && !needMore.includes(`"${call}"`);
  };
  const others = boxes.filter(({ name }) => !name.endsWith("schemathesis.rs"));
  const isRequested = (call) => others.some(({ text }) => requests(text, call.split(" ")[1]));
  return [...new Set(answered)].filter((call) => !isFuzzed(call) && !isRequested(call)).sort();
}

/** The page, the ids and clauses that no test shows, and their number per kind. */
export function coverage(root) {
  const ids = filesUnder(root, "docs/requirements", /\.md$/).flatMap(({ text }) => defined(text));
  const topics = topicsOf(ids);
  const showing = new Map(ids.map((id) => [id, { browser: [], worker: [], screens: [] }]));
  for (const [kind, tests] of Object.entries(testsIn(root)))
    for (const { citing, title } of tests) {
      const cites = cited(citing, topics);
      for (const id of new Set([...cites, ...cites.map(idOf)])) showing.get(id)?.[kind].push(title);
    }

  const isCoveredBy = (id, kind) => showing.get(id)[kind].length > 0;
  const open = ids.filter((id) => !KINDS.some((kind) => isCoveredBy(id, kind)));
  const counts = KINDS.map((kind) => `${kind} ${ids.filter((id) => isCoveredBy(id, kind)).length}`).join(", ");
  const row = (id) => {
    const cells = KINDS.map((kind) => showing.get(id)[kind].join("; ").replaceAll("|", "\\|"));
    return `| ${id} | ${open.includes(id) ? "**open** | | " : cells.join(" | ")} |`;
  };
  const page = `# Tests of each requirement

Written by \`make coverage\` from the titles of tests and the comments above them:
- journeys in a browser on the running worker (\`${BROWSER}\`);
- black-box tests of the running worker by HTTP (\`${WORKER}\`);
- journeys on the screens in jsdom (\`${SCREENS}\`), on a fake channel that is checked against the API document and
  answers only calls that a black-box test makes on the worker.

${ids.length - open.length} of ${ids.length} are shown (${counts}).

| id | in a browser | on the worker by HTTP | on the screens |
|---|---|---|---|
${ids.map(row).join("\n")}
`;
  return { page, open, counts, total: ids.length };
}

if (import.meta.filename === process.argv[1]) {
  const root = join(import.meta.dirname, "../..");
  const { page, open, counts, total } = coverage(root);
  writeFileSync(join(root, "docs/coverage.md"), page);
  console.log(`docs/coverage.md: ${total - open.length} of ${total} are shown (${counts})`);
  const calls = untestedCalls(root);
  if (open.length > 0) console.error(`no test shows ${open.join(", ")}`);
  if (calls.length > 0) console.error(`the fake channel answers calls without a black-box test: ${calls.join(", ")}`);
  process.exitCode = open.length + calls.length > 0 ? 1 : 0;
}
