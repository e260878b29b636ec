// Writes docs/coverage.md: each id of docs/requirements.md beside what shows it on the running worker, a browser journey
// of web/e2e or a black-box test of worker/touchline/tests/worker that names the id in its title or in the comment above
// it. With --check it writes nothing, and fails where the page says another thing than the tests or an id is open.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const JOURNEYS = "web/e2e";
const BLACK_BOX = "worker/touchline/tests/worker";
const PAGE = "docs/coverage.md";

const requirements = await readFile(`${root}docs/requirements.md`, "utf8");
const ids = [...requirements.matchAll(/^- \*\*([A-Z]+-\d+)\*\* /gm)].map(([, id]) => id);
const topics = new Set(ids.map((id) => id.split("-")[0]));

/** The ids in a text, each of `NAV-1 to NAV-3` among them. */
const cited = (text) =>
  [...text.matchAll(/\b([A-Z]+)-(\d+)\b(?: (?:to|through) \1-(\d+)\b)?/g)].flatMap(([, topic, from, to = from]) =>
    topics.has(topic)
      ? Array.from({ length: Number(to) - Number(from) + 1 }, (_, at) => `${topic}-${Number(from) + at}`)
      : [],
  );

/** A test of a file: its comment and its title, and its name in the page. */
const JOURNEY =
  /((?:^ *(?:\/\/|\/\*\*|\*).*\n)*)^ *(?:test|journey|inSandbox|inStripe)(?:\.\w+)?\(\s*(["`])((?:(?!\2).)*)\2/gm;
const BOX =
  /((?:^ *\/\/\/.*\n)*)(?:^ *#\[.*\]\n)*^ *#\[(?:tokio::)?test[^\n]*\n(?:^ *#\[.*\]\n)*^ *(?:async )?fn (\w+)/gm;

async function* tests() {
  const files = await readdir(root + JOURNEYS, { recursive: true });
  for (const name of files.filter((one) => one.endsWith(".spec.ts")).sort()) {
    const text = await readFile(`${root}${JOURNEYS}/${name}`, "utf8");
    for (const [, comment, , title] of text.matchAll(JOURNEY)) {
      const plain = title.replace(/ \([A-Z][A-Z0-9, to-]*\)$/, "");
      yield { ids: cited(`${comment} ${title}`), shown: `${name.replace(".spec.ts", "")}: ${plain}` };
    }
  }
  for (const name of (await readdir(root + BLACK_BOX)).filter((one) => one.endsWith(".rs")).sort()) {
    const text = await readFile(`${root}${BLACK_BOX}/${name}`, "utf8");
    for (const [, comment, title] of text.matchAll(BOX)) {
      yield { ids: cited(comment), shown: `worker, ${name.replace(".rs", "")}: ${title.replaceAll("_", " ")}` };
    }
  }
}

const shownBy = new Map(ids.map((id) => [id, []]));
for await (const test of tests()) {
  for (const id of new Set(test.ids)) shownBy.get(id)?.push(test.shown);
}
const open = ids.filter((id) => shownBy.get(id).length === 0);
const rows = ids.map((id) => `| ${id} | ${shownBy.get(id).join("; ").replaceAll("|", "\\|") || "**open**"} |`);
const page = `# What shows each requirement

Written by \`npm --prefix web run coverage\` from the titles of the browser journeys (\`${JOURNEYS}\`) and of the black-box
tests of the running worker (\`${BLACK_BOX}\`), and from the comments above them. ${ids.length - open.length} of ${ids.length} are shown.

| id | shown by |
|---|---|
${rows.join("\n")}
`;

if (process.argv.includes("--check")) {
  const written = await readFile(root + PAGE, "utf8").catch(() => "");
  if (written !== page) {
    console.error(`${PAGE} is not what the tests say: npm --prefix web run coverage`);
    process.exit(1);
  }
  if (open.length > 0) {
    console.error(`no journey and no black-box test shows ${open.join(", ")}`);
    process.exit(1);
  }
} else {
  await writeFile(root + PAGE, page);
  console.log(`${ids.length - open.length} of ${ids.length} are shown; open: ${open.join(" ") || "none"}`);
}
