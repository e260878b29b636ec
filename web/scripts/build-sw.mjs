// Builds dist/sw.js after the site: bundled by Vite, then told by workbox which files make up the shell.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { injectManifest } from "workbox-build";

const inside = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Fetched after the first page is shown, or by a returning viewer's alone, and needed without a network all the same. */
const LATER = /^src\/(?:app\/|components\/calendar|session\/persist\/|eventlog\/)/;

/** The files that the site starts from: the entry, what it imports at once, what of it comes later, and their styles. */
function shellFiles(manifest) {
  const files = new Set();
  const add = (name) => {
    const chunk = manifest[name];
    if (!chunk || files.has(chunk.file)) return;
    files.add(chunk.file);
    for (const file of [...(chunk.css ?? []), ...(chunk.assets ?? [])]) files.add(file);
    for (const needed of chunk.imports ?? []) add(needed);
  };
  for (const [name, chunk] of Object.entries(manifest)) if (chunk.isEntry || LATER.test(name)) add(name);
  return [...files];
}

const manifest = JSON.parse(await readFile(inside("dist/.vite/manifest.json"), "utf8"));

await build({
  configFile: false,
  root: inside("."),
  publicDir: false,
  logLevel: "warn",
  define: {
    "process.env.NODE_ENV": JSON.stringify("production"),
    // What pages load later is within the one file of the service worker.
    "import.meta.resolve": "undefined",
    "import.meta.url": "self.location.href",
  },
  build: {
    outDir: inside("dist"),
    emptyOutDir: false,
    sourcemap: false,
    rolldownOptions: { input: inside("sw/sw.ts"), output: { format: "iife", entryFileNames: "sw.js" } },
  },
});

const { count, size, warnings } = await injectManifest({
  swSrc: inside("dist/sw.js"),
  swDest: inside("dist/sw.js"),
  globDirectory: inside("dist"),
  globPatterns: shellFiles(manifest),
  dontCacheBustURLsMatching: /^assets\//,
});
for (const warning of warnings) console.warn(warning);
if (count === 0) throw new Error("the service worker would precache nothing");
console.log(`sw.js precaches ${count} files, ${size} bytes`);
