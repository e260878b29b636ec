import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { type MinifyOptions, minify } from "terser";
import { defineConfig, type Plugin } from "vite";
import { siteFont } from "./scripts/font";

interface Graph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

const ENTRY = fileURLToPath(new URL("src/app/main.tsx", import.meta.url));
const TERSER = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8")).devDependencies
  .terser as string;
const WORKER = "http://127.0.0.1:8080";
/** The bundle of the first page's imports. */
const FIRST_PAGE = "site";

/**
 * Bundles all imports of the first page into one file. By default the bundler makes a file for each set of screens that
 * share something: two dozen requests before the first page is visible, and a tenth more bytes.
 */
function firstPage(): (id: string, graph: Graph) => string | null {
  const reached = new Set<string>();
  const reach = (id: string, graph: Graph): void => {
    if (reached.has(id)) return;
    reached.add(id);
    for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) reach(imported, graph);
  };
  return (id, graph) => {
    if (reached.size === 0) reach(ENTRY, graph);
    return reached.has(id) ? FIRST_PAGE : null;
  };
}

/**
 * Small modules that three or more screens share go into one file: each file costs a request, and its name costs bytes
 * on the first page. A preroll is small, but includes the whole player.
 */
const smallParts = {
  name: "shared",
  test: /web\/src\/(?!player|simulate|screens\/watch\/Spot)/,
  minShareCount: 3,
  maxModuleSize: 2500,
};

/** The account's screens in one file: most are smaller than the headers that carry a file. */
const accountScreens = {
  name: "account",
  test: /web\/src\/screens\/(auth|profile)\//,
  // Other screens share their form fields.
  includeDependenciesRecursively: false,
};

/** First characters of short names, the most frequent in the site's code first. */
const LETTERS = "etnrisoaclupdhmfgvbywxkjqzSCTEPAMDRNFLIOBHUVGWKXYQJZ_$";
const CHARACTERS = `${LETTERS}0123456789`;

/**
 * The nth shortest name. Terser's own order depends on how often each character occurs, also in the hashes of file
 * names: the same code varied by 200 compressed bytes.
 */
function shortName(n: number): string {
  let name = LETTERS.charAt(n % LETTERS.length);
  let rest = Math.floor(n / LETTERS.length);
  while (rest > 0) {
    rest -= 1;
    name += CHARACTERS.charAt(rest % CHARACTERS.length);
    rest = Math.floor(rest / CHARACTERS.length);
  }
  return name;
}

/** Libraries' console messages for developers are removed; errors stay. */
const TIGHTEST: MinifyOptions = {
  module: true,
  ecma: 2020,
  // Reading a property has no side effects in the page's own script.
  compress: {
    passes: 4,
    collapse_vars: false,
    sequences: false,
    // These make the file shorter, but larger once it is compressed.
    comparisons: false,
    lhs_constants: false,
    pure_getters: true,
    drop_console: ["log", "info", "debug", "warn"],
  },
  mangle: { nth_identifier: { get: shortName } },
};

/**
 * Tells Chromium to compile the whole file while it loads, off the page's thread. By default each function is parsed
 * twice, the second time on the main thread: a tenth of a second and more of a phone's start.
 */
const COMPILED_AHEAD = "//# allFunctionsCalledOnLoad\n";

/**
 * Minifies the first page once more, which saves a seventieth of its compressed size over the bundler's own minifier.
 */
const tightFirstPage: Plugin = {
  name: "tight-first-page",
  apply: "build",
  // A file's name is computed before this step.
  augmentChunkHash: ({ name }) =>
    name === FIRST_PAGE ? TERSER + JSON.stringify(TIGHTEST) + CHARACTERS + COMPILED_AHEAD : undefined,
  generateBundle: {
    // The list of each import's dependencies is prepended last.
    order: "post",
    async handler(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== "chunk" || file.name !== FIRST_PAGE) continue;
        const { code } = await minify(file.code, TIGHTEST);
        if (code === undefined) throw new Error(`${file.fileName} could not be minified`);
        file.code = COMPILED_AHEAD + code;
      }
    },
  },
};

export default defineConfig({
  plugins: [react(), tightFirstPage],
  resolve: {
    // Its development build, the only one it exports, has warnings for problems that a production page can't have.
    alias: [
      {
        find: /^react-router$/,
        replacement: fileURLToPath(new URL("node_modules/react-router/dist/production/index.mjs", import.meta.url)),
      },
      { find: "archivo-site.woff2", replacement: await siteFont() },
    ],
  },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "baseline-widely-available",
    manifest: true,
    // Every target browser supports it.
    modulePreload: { polyfill: false },
    sourcemap: false,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        codeSplitting: { groups: [{ name: firstPage() }, smallParts, accountScreens] },
        // The first page names every other file: 42 bits distinguish two builds of a file, and don't compress.
        chunkFileNames: "assets/[name]-[hash:7].js",
        entryFileNames: "assets/[name]-[hash:7].js",
        assetFileNames: "assets/[name]-[hash:7][extname]",
      },
    },
  },
  server: {
    proxy: {
      ...Object.fromEntries(
        ["/api", "/media", "/datalake", "/keys", "/config.json", "/storage", "/icons"].map((path) => [path, WORKER]),
      ),
      "/sync": { target: WORKER, ws: true },
    },
  },
});
