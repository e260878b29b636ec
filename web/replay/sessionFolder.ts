import { existsSync, readdirSync } from "node:fs";

/** The sessions in a folder and below it, such as a worker's reports; a string says why there are none. */
export function sessionsIn(folder: string): readonly string[] | string {
  if (!existsSync(folder)) return `there is no folder ${folder}`;
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.jsonl(\.gz)?$/.test(file),
  );
  return files.length === 0 ? `no session (.jsonl, .jsonl.gz) is in ${folder}` : files.sort();
}
