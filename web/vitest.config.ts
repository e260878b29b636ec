import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

/** Journeys of the whole site: React as it is shipped, which renders once and three times as fast. */
const JOURNEYS = "src/journeys/*/**/*.test.{ts,tsx}";

export default defineConfig({
  plugins: [react()],
  test: {
    pool: "threads",
    // Left alone, one processor is not used.
    maxWorkers: "100%",
    testTimeout: 120_000,
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
