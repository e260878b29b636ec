import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

/** Journeys of the whole site use the production build of React, which renders once and is three times as fast. */
const JOURNEYS = "src/journeys/*/**/*.test.{ts,tsx}";

export default defineConfig({
  plugins: [react()],
  test: {
    pool: "threads",
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
        test: {
          name: "journeys",
          include: [JOURNEYS],
          env: { NODE_ENV: "production" },
          // Files share the loaded modules and the window, which takes half the time. They mock no module, and each
          // journey resets what the browser stores.
          isolate: false,
        },
      },
    ],
  },
});
