// Builds dist/sw.js after the site: bundled by Vite, then given the list of the build's files by Workbox.
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { injectManifest } from "workbox-build";

const inside = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

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
  // A shell is used only once all files of its build are there.
  globPatterns: ["assets/*"],
  globIgnores: ["**/*.br"],
  dontCacheBustURLsMatching: /^assets\//,
});
for (const warning of warnings) console.warn(warning);
if (count === 0) throw new Error("the service worker would precache nothing");
console.log(`sw.js precaches ${count} files, ${size} bytes`);
