import { readdirSync, readFileSync } from "node:fs";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

/** Journeys of the whole site use the production build of React, which renders once and is three times as fast. */
const JOURNEYS = "src/journeys/*/**/*.test.{ts,tsx}";

interface TestFile {
  readonly path: string;
  readonly text: string;
}

const testFiles: readonly TestFile[] = ["src", "sw", "replay", "lint", "e2e", "scripts"]
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`))
  .filter((path) => /\.test\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(path, "utf8") }));
const paths = (files: readonly TestFile[]): string[] => files.map(({ path }) => path);
/** Tests that replace or reload modules, or install a database that libraries find when they are loaded. */
const ISOLATED = paths(
  testFiles.filter(({ text }) => /\bvi\.(mock|doMock|resetModules)\(|"fake-indexeddb\/auto"/.test(text)),
);
/** Tests with a document. A worker is shared by files of one project and one environment. */
const SCREENS = paths(testFiles.filter(({ text }) => text.startsWith("// @vitest-environment jsdom")));

export default defineConfig({
  plugins: [react()],
  test: {
    pool: "threads",
    // Files share a worker: each would otherwise load and compile the site, its libraries and jsdom again.
    isolate: false,
    // By default one processor stays unused.
    maxWorkers: "100%",
    // Ends only a test that hangs: a busy machine may need minutes for one that replays sessions.
    testTimeout: 300_000,
    projects: [
      {
        extends: true,
        test: {
          name: "parts",
          include: ["src/**/*.test.{ts,tsx}", "{replay,sw,lint,e2e,scripts}/**/*.test.ts"],
          exclude: [JOURNEYS, ...SCREENS, ...ISOLATED, "**/node_modules/**"],
        },
      },
      {
        extends: true,
        test: {
          name: "screens",
          include: SCREENS,
          exclude: [JOURNEYS, ...ISOLATED],
          setupFiles: "src/journeys/testing/sharedDocument.ts",
        },
      },
      { extends: true, test: { name: "isolated", include: ISOLATED, isolate: true } },
      {
        extends: true,
        oxc: { jsx: { runtime: "automatic", development: false } },
        test: { name: "journeys", include: [JOURNEYS], exclude: ISOLATED, env: { NODE_ENV: "production" } },
      },
    ],
  },
});
