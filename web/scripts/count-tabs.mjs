// Counts remains of the multi-leader design, and fails if they return: names of the old protocol, channels, lock names
// and databases of the browser.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const web = join(import.meta.dirname, "..");

function* sources(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!["testing", "simulate"].includes(entry.name)) yield* sources(path);
    } else if (/\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name) && entry.name !== "openapi.ts")
      yield path;
  }
}

const files = [...sources(join(web, "src")), ...sources(join(web, "sw"))].map((path) => ({
  path: relative(web, path),
  text: readFileSync(path, "utf8"),
}));

/** Every match in the selected files, with the files that contain it. */
function found(pattern, isSelected = () => true) {
  const places = new Map();
  for (const { path, text } of files.filter(({ path }) => isSelected(path)))
    for (const [match, name = match] of text.matchAll(pattern)) places.set(name, [...(places.get(name) ?? []), path]);
  return places;
}

/**
 * localforage calls a storage backend a driver: ours is in this folder, and the name means something else elsewhere.
 */
const DRIVER = join("src", "storage");

const counts = [
  ["names of the old protocol", found(/\b(owner|adopted|standBy|tombstones?|echo(?:es)?)\b/g), 0],
  ["process drivers", found(/\bdrivers?\b/g, (path) => !path.startsWith(DRIVER)), 0],
  ["BroadcastChannels", found(/new BroadcastChannel\(([^)]*)\)/g), 1],
  ["lock names", found(/(?:exclusive\(|LOCK = |lockOf = .*=> )["`](touchline-[\w-]+)/g), 4],
  ["databases", found(/(?:openDatabase\(|name = )"(touchline-[\w-]+)"/g), 2],
];

let isOver = false;
for (const [what, places, most] of counts) {
  const over = places.size > most;
  isOver ||= over;
  console.log(`${over ? "TOO MANY" : "ok"} ${what}: ${places.size} (at most ${most})`);
  for (const [name, paths] of places) console.log(`  ${name}: ${[...new Set(paths)].join(", ")}`);
}
process.exit(isOver ? 1 : 0);
