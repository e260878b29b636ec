import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

/** Journeys of the whole site use the production build of React, which renders once and is three times as fast. */
const JOURNEYS = "src/journeys/*/**/*.test.{ts,tsx}";

export default defineConfig({
  plugins: [react()],
  test: {
    pool: "threads",
    // A file finds the modules of earlier ones already loaded: all tests take two thirds of the time. Each journey empties
    // the browser's storage, and what a test changes in a module it changes back.
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
          exclude: [JOURNEYS, "**/node_modules/**"],
        },
      },
      {
        extends: true,
        oxc: { jsx: { runtime: "automatic", development: false } },
        test: { name: "journeys", include: [JOURNEYS], env: { NODE_ENV: "production" } },
      },
    ],
  },
});
