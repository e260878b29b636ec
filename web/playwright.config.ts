import { defineConfig } from "@playwright/test";
import { PAGES_ALONE } from "./e2e/support/chromium";
import type { Fixtures } from "./e2e/support/journey";

/** OPS-30: a purchase on PostgreSQL and S3. In front of an API there is no such store. */
const PURCHASE = "**/buy/prices.spec.ts";
const SHARED =
  process.env.UPSTREAM === undefined ? [{ name: "shared", testMatch: PURCHASE, use: { shares: true } }] : [];

export default defineConfig<Pick<Fixtures, "shares">>({
  testDir: "e2e",
  testMatch: "**/*.spec.ts",
  projects: [{ name: "folder", testIgnore: SHARED.map(({ testMatch }) => testMatch) }, ...SHARED],
  outputDir: "test-results",
  fullyParallel: true,
  // Two journeys leave a fourth of two processors unused.
  workers: 3,
  timeout: 90_000,
  forbidOnly: true,
  // `e2e/unstable.json` lists the known unstable journeys.
  retries: 0,
  reporter: [["list"], ["./e2e/support/ledgerReporter.ts"]],
  expect: { timeout: 10_000 },
  use: {
    actionTimeout: 15_000,
    launchOptions: PAGES_ALONE,
    // Tracing records every frame of the page, and the video stops playing under it.
    screenshot: "only-on-failure",
    // A picture is drawn sixty times a second while something moves: a third of a page's processor time.
    contextOptions: { reducedMotion: "reduce" },
  },
});
