import { untilQuiet } from "../support/idle";
import { expect, test } from "../support/journey";

/** The most that a page may move under its reader while it arrives: what browsers call good. */
const LIMIT = 0.1;

test.use({ viewport: { width: 390, height: 844 } });

test("what arrives pushes nothing that is being read", async ({ page }) => {
  await page.addInitScript(() => {
    const page = window as never as { shift: number };
    page.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
        if (!entry.hadRecentInput) page.shift += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  const shifts: Record<string, number> = {};
  for (const path of ["/", "/upcoming", "/watch/4", "/packages", "/vod_library", "/login"]) {
    await page.goto(path);
    await expect(page.locator("main h1").first()).toBeAttached();
    await untilQuiet(page);
    shifts[path] = await page.evaluate(() => (window as never as { shift: number }).shift);
  }
  expect(Object.entries(shifts).filter(([, shift]) => shift > LIMIT)).toEqual([]);
});
