// Builds dist/sw.js after the site: bundled by Vite, then given the shell's files by Workbox.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { injectManifest } from "workbox-build";

const inside = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Loaded after the first page is visible, or only for a returning viewer, and still needed offline. */
const LATER = /^src\/(?:app\/|components\/calendar|session\/persist\/|eventlog\/)/;

/** The site's initial files: the entry, its direct imports, some of its later imports, and their styles. */
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
    // Later imports of pages are bundled into the service worker's one file.
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
