import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const DOCUMENT = join(import.meta.dirname, "../../../docs/benchmarks.md");

/** Writes results into their part of docs/benchmarks.md, between two marks. */
export async function writeMeasurements(part: string, lines: readonly string[]): Promise<void> {
  const begin = `<!-- measured: ${part} -->\n`;
  const end = `<!-- end: ${part} -->\n`;
  const text = `${begin}\n${lines.join("\n")}\n\n${end}`;
  const document = await readFile(DOCUMENT, "utf8").catch(() => "# Benchmarks\n");
  const from = document.indexOf(begin);
  const until = document.indexOf(end);
  const whole =
    from < 0 || until < 0
      ? `${document}\n${text}`
      : document.slice(0, from) + text + document.slice(until + end.length);
  await writeFile(DOCUMENT, whole);
}
