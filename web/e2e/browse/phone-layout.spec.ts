import { untilQuiet } from "../support/idle";
import { expect, test } from "../support/journey";

/** Maximum layout shift while a page loads: the browsers' threshold for *good*. */
const LIMIT = 0.1;

test.use({ serviceWorkers: "block", viewport: { width: 390, height: 844 } });

test("on a phone loading content doesn't shift the page, no school tile breaks a word, and a team's slide keeps its margin (WIDE-1)", async ({
  page,
}) => {
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

  await page.goto("/");
  await expect(page.getByRole("region", { name: "Schools" })).toBeVisible();
  for (const width of [360, 390, 600, 900]) {
    await page.setViewportSize({ width, height: 844 });
    // A broken word has two boxes.
    const broken = await page.locator(".team-card__words > *").evaluateAll((all) =>
      all.flatMap((element) => {
        const text = (element.querySelector("bdi") ?? element).firstChild as Text;
        return [...text.data.matchAll(/\S+/g)].flatMap(({ 0: word, index }) => {
          const range = document.createRange();
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          return range.getClientRects().length > 1 ? [word] : [];
        });
      }),
    );
    expect(broken, `${width} px`).toEqual([]);
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/?team=101");
  const button = await page.locator(".hero__actions a").last().boundingBox();
  const panel = await page.locator(".team-head").boundingBox();
  expect((panel?.y ?? 0) - ((button?.y ?? 0) + (button?.height ?? 0))).toBeGreaterThanOrEqual(16);
});
