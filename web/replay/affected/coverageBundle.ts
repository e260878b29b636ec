import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build } from "esbuild";
import { exactCase } from "../screens/bundleScreens";
import { withCellGetters } from "./cellGetters";

const EXPORTS = `
export { program } from "./src/sagas/program";
export { readLog, replayLog } from "./src/eventlog/replay";`;

/** The product's code that a replay runs, as one module. */
export interface CoverageBundle {
  /** Names the build: equal ids run the same lines of a log. */
  readonly id: string;
  readonly code: string;
  /** The source map. */
  readonly map: string;
  /** The texts of the sources, by path such as `src/sagas/auth.ts`. */
  readonly sources: ReadonlyMap<string, string>;
}

/** Inputs of a recording besides the sources: the packages, the accepted differences and the recorder itself. */
function environment(web: string): string {
  const files = readdirSync(import.meta.dirname)
    .sort()
    .map((file) => join(import.meta.dirname, file));
  files.push(join(web, "package-lock.json"), join(import.meta.dirname, "../accepted.jsonl"));
  return [process.version, ...files.map((file) => readFileSync(file, "utf8"))].join("\n");
}

/** Bundles the sources of a package's folder, with every function of their modules. */
export async function bundleSources(web: string): Promise<CoverageBundle> {
  const sources = new Map<string, string>();
  const { outputFiles } = await build({
    stdin: { contents: EXPORTS, resolveDir: web },
    absWorkingDir: web,
    bundle: true,
    // An unused function is code that no session runs.
    treeShaking: false,
    platform: "node",
    format: "cjs",
    // A function, which each session calls for modules of its own.
    banner: { js: "(function (require, module) {" },
    footer: { js: "})" },
    packages: "external",
    jsx: "automatic",
    tsconfigRaw: {},
    sourcemap: "external",
    sourcesContent: false,
    write: false,
    outfile: join(web, "bundle.cjs"),
    logLevel: "silent",
    plugins: [
      // A file that this resolves belongs to no package, whose type would make a package's exports its default.
      exactCase,
      {
        name: "sources",
        setup({ onLoad }) {
          onLoad({ filter: /[\\/]src[\\/].*\.tsx?$/ }, ({ path }) => {
            const file = relative(web, path).replaceAll("\\", "/");
            const text = readFileSync(path, "utf8");
            sources.set(file, text);
            return { contents: withCellGetters(file, text), loader: file.endsWith("x") ? "tsx" : "ts" };
          });
        },
      },
    ],
  });
  const hash = createHash("sha256").update(environment(web));
  for (const file of [...sources.keys()].sort()) hash.update(`\n${file}\n${sources.get(file)}`);
  const output = (suffix: string): string => outputFiles.find(({ path }) => path.endsWith(suffix))?.text ?? "";
  return { id: hash.digest("hex").slice(0, 16), code: output(".cjs"), map: output(".map"), sources };
}

/** Writes a bundle and its source map into the package, where it finds its modules. */
export function writeBundle(web: string, { code, map }: CoverageBundle): { readonly file: string; remove(): void } {
  const bundles = join(web, "node_modules/.cache");
  mkdirSync(bundles, { recursive: true });
  const folder = mkdtempSync(join(bundles, "touchline-coverage-"));
  const file = join(folder, "bundle.cjs");
  writeFileSync(file, code);
  writeFileSync(`${file}.map`, map);
  return { file, remove: () => rmSync(folder, { recursive: true }) };
}
