/**
 * Writes docs/machines.md from the transition tables. With `--check` it writes nothing and exits with 1 if the page
 * differs from the tables.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { machines } from "../src/machines/index";
import { machinesPage } from "../src/machines/page";

const PAGE = new URL("../../docs/machines.md", import.meta.url);

const page = machinesPage(machines);
if (process.argv.includes("--check")) {
  let written = "";
  try {
    written = readFileSync(PAGE, "utf8");
  } catch {
    // A missing page differs.
  }
  if (written !== page) {
    console.error("docs/machines.md differs from the tables: run `npm --prefix web run machines`");
    process.exit(1);
  }
} else {
  writeFileSync(PAGE, page);
}
