import { expect, test } from "../support/journey";

test.use({ serviceWorkers: "block" });

test("rails have cards of 280 to 380 px and scroll to the end in five seconds while their button is held (USER-4d, VOD-2a, VOD-2b)", async ({
  page,
}) => {
  await page.goto("/vod_library");
  const rail = page.getByRole("region", { name: "New this month" });
  const cards = page.locator(".library [data-rail] > [data-card]");
  await expect(rail.getByRole("link").first()).toBeVisible();
  for (const width of [360, 700, 1000, 1280, 1500, 1800, 2560]) {
    await page.setViewportSize({ width, height: 900 });
    const widths = await cards.evaluateAll((all) => all.map((card) => card.getBoundingClientRect().width));
    expect(widths.length).toBeGreaterThan(10);
    expect(Math.min(...widths), `${width}`).toBeGreaterThanOrEqual(280);
    expect(Math.max(...widths), `${width}`).toBeLessThanOrEqual(380);
  }

  await page.setViewportSize({ width: 1280, height: 900 });
  // Its position from the first step on, by the page's own clock.
  await rail.getByRole("list").evaluate((list) => {
    const steps: { at: number; left: number }[] = [];
    Object.assign(window, { steps });
    list.addEventListener("scroll", () => steps.push({ at: performance.now(), left: list.scrollLeft }));
  });
  const steps = () => page.evaluate(() => (window as never as { steps: { at: number; left: number }[] }).steps);
  const length = await rail.getByRole("list").evaluate((list) => list.scrollWidth - list.clientWidth);
  await rail.getByRole("button", { name: "Next" }).hover();
  await page.mouse.down();
  await expect.poll(async () => (await steps()).at(-1)?.left ?? 0, { intervals: [200] }).toBeGreaterThan(length - 2);
  await page.mouse.up();
  const moved = await steps();
  const [first, last] = [moved[0], moved.find(({ left }) => left > length - 2)];
  const took = (last?.at ?? 0) - (first?.at ?? 0);
  expect(took).toBeGreaterThan(4_700);
  expect(took).toBeLessThan(5_300);
});
