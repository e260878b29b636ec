import { expect, test } from "../support/journey";

/** A free event that has ended: its still is a photograph. */
const EVENT = "/watch/25";
const PHOTOGRAPH = "**/media/northfield/posters/**";

test("a still is loaded at its displayed size, with a blurred placeholder until then (FAST-6c, FAST-9a, FAST-9c)", async ({
  browser,
  page,
  worker,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const requested: string[] = [];
  page.on("request", (request) => requested.push(request.url()));
  await page.goto(EVENT);
  const still = page.locator(".stage > img").last();
  await expect.poll(() => still.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(300);
  const sizes = requested.filter((url) => url.includes("/posters/court.jpg")).map((url) => new URL(url).search);
  expect(new Set(sizes)).toEqual(new Set(["?width=640"]));

  // The second viewer comes once the photograph's colours are known, on a slow network.
  await expect
    .poll(async () => (await page.request.get(`${worker.origin}${EVENT}`)).text())
    .toContain("data:image/webp");
  // Nothing delays the service worker's requests, so it is blocked.
  const unaided = { baseURL: worker.origin, serviceWorkers: "block" } as const;
  const later = await browser.newPage({ ...unaided, viewport: { width: 1440, height: 900 } });
  let release = () => undefined as void;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await later.route(PHOTOGRAPH, async (route) => {
    await released;
    await route.continue();
  });
  await later.goto(EVENT, { waitUntil: "commit" });
  const stage = later.locator("#root .stage");
  const blurred = stage.locator(".photograph-blurred");
  await expect(stage.getByRole("button", { name: "Watch", exact: true })).toBeVisible();
  await expect(blurred).toBeVisible();
  expect(await blurred.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(16);
  release();
  const sharp = stage.locator("img").last();
  await expect.poll(() => sharp.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(600);
  const boxes = await Promise.all([sharp.boundingBox(), stage.boundingBox()]);
  expect(boxes[0]).toEqual(boxes[1]);
  await later.close();

  // If it doesn't load at all, the event's drawing is displayed.
  const without = await browser.newPage(unaided);
  await without.route(PHOTOGRAPH, (route) => route.abort());
  await without.goto(EVENT);
  await expect(without.locator("#root .stage .poster__drawing")).toBeVisible();
  await expect(without.locator(".photograph-blurred")).toHaveCount(0);
  await without.close();
});
