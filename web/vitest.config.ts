import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [react()],
  test: {
    include: [
      "src/**/*.test.{ts,tsx}",
      "replay/**/*.test.ts",
      "sw/**/*.test.ts",
      "lint/**/*.test.ts",
      "e2e/**/*.test.ts",
      "scripts/**/*.test.ts",
    ],
    pool: "threads",
    testTimeout: 20_000,
  },
});
