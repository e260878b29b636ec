import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";

const web = fileURLToPath(new URL("../..", import.meta.url));
const packages = join(web, "node_modules");
const FOLDER = "src/simulate";
/** The entry, and the files beside it that it imports. */
const REALM_FILES = ["screenRealm.tsx", "ReplayedSite.tsx", "privatePorts.ts", "replayedStore.ts"] as const;
const SUFFIXES = [".ts", ".tsx", "/index.ts", "/index.tsx"] as const;

/** Changes a source file, by its path such as `src/slices/search.ts`. */
export type Edit = (file: string, text: string) => string;

/** Beside `Search.tsx` there may be a `search.ts`: the bundler's own search ignores the case. */
export const exactCase: Plugin = {
  name: "exact-case",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir }) => {
      const [file] = SUFFIXES.map((suffix) => join(resolveDir, path + suffix)).filter(existsSync);
      return file === undefined ? null : { path: file };
    });
  },
};

const editing = (sources: string, edit: Edit): Plugin => ({
  name: "edit",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].*\.tsx?$/ }, ({ path }) => ({
      contents: edit(relative(sources, path).replaceAll("\\", "/"), readFileSync(path, "utf8")),
      loader: path.endsWith("x") ? "tsx" : "ts",
    }));
  },
});

/** Gives an earlier build's sources this build's entry. */
export function addRealm(sources: string): void {
  mkdirSync(join(sources, FOLDER), { recursive: true });
  for (const file of REALM_FILES) copyFileSync(join(web, FOLDER, file), join(sources, FOLDER, file));
}

/** Names the entry's version: a bundle of an earlier build with another one is of no use. */
export function realmHash(): string {
  const hash = createHash("sha256");
  for (const file of REALM_FILES) hash.update(readFileSync(join(web, FOLDER, file)));
  return hash.digest("hex").slice(0, 8);
}

/** Bundles the screens of a build for `openScreens`, with the packages of this one. */
export async function bundleScreens(sources: string, outfile: string, edit?: Edit): Promise<void> {
  await build({
    entryPoints: [join(sources, FOLDER, REALM_FILES[0])],
    bundle: true,
    format: "iife",
    platform: "browser",
    target: "node20",
    nodePaths: [packages],
    alias: { "react-router": join(packages, "react-router/dist/production/index.mjs") },
    define: { "process.env.NODE_ENV": '"production"' },
    jsx: "automatic",
    loader: { ".css": "empty" },
    // Other settings may belong to the editor of the earlier build's sources.
    tsconfigRaw: {},
    keepNames: true,
    logLevel: "silent",
    plugins: [exactCase, ...(edit ? [editing(sources, edit)] : [])],
    outfile,
  });
}

/** Bundles the screens of this build into a new file. */
export async function bundleToday(edit?: Edit): Promise<{ readonly file: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), "touchline-screens-"));
  const file = join(folder, "screens.js");
  await bundleScreens(web, file, edit);
  return { file, remove: () => rmSync(folder, { recursive: true }) };
}
