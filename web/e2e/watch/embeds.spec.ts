import { expect, test } from "../support/journey";
import { expectStarted, register } from "../support/viewer";

test.use({ serviceWorkers: "block" });

test("an embedded event that can't be played says why and links to the site, in any frame (ROUTE-3e, ROUTE-3f, ROUTE-3g, EVENT-4)", async ({
  page,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  for (const [id, way, to = `/watch/${id}`] of [
    [1, "LOGIN TO WATCH"],
    [3, "REGISTER TO WATCH FREE"],
    [4, "LOGIN TO WATCH"],
    // A missing event links to the site as well.
    [99999, "Northfield Sports Network", "/"],
  ] as const) {
    await page.goto(`/watch_embed/${id}`);
    const link = page.getByRole("link", { name: way });
    await expect(link).toHaveAttribute("href", to);
    await expect(link).toHaveAttribute("target", "_blank");
    for (const [width, height] of [
      [1280, 720],
      [320, 180],
      [300, 600],
    ] as const) {
      await page.setViewportSize({ width, height });
      await expect(link).toBeInViewport({ ratio: 1 });
      const size = () => page.evaluate(() => [document.body.scrollWidth, document.documentElement.scrollHeight]);
      await expect.poll(size, `${width} × ${height}`).toEqual([width, height]);
    }
  }
  await page.setViewportSize({ width: 1280, height: 720 });
  await expect(page).toHaveTitle(/^We couldn’t find this event\./);
  await register(page);
  await page.goto("/watch_embed/1");
  await expect(page.getByRole("link", { name: "Buy for $7.99" })).toBeVisible();
  await page.goto("/watch_embed/25");
  await page.getByRole("button", { name: "Watch", exact: true }).click();
  await expectStarted(page);
  for (const [width, height] of [
    [1280, 720],
    [640, 360],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expect.poll(() => page.locator(".player").boundingBox()).toEqual({ x: 0, y: 0, width, height });
  }

  await page.goto("/watch/1");
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("button", { name: "Copy embed code" }).click();
  await expect(page.getByText("Embed code copied.")).toBeVisible();
  const code = await page.evaluate(() => navigator.clipboard.readText());
  await page.setContent(code);
  await expect(page.frameLocator("iframe").getByRole("link", { name: "Buy for $7.99" })).toBeVisible();
});

test("an embed in a frame without an origin says so, and links to the channel (ROUTE-3f)", async ({ page, worker }) => {
  await page.goto("/watch/1");
  await page.setContent(`<iframe sandbox="allow-scripts allow-popups" src="${worker.origin}/watch_embed/1"></iframe>`);
  const frame = page.frameLocator("iframe");
  await expect(frame.getByText("The page that embeds this video prevents it from playing.")).toBeVisible();
  await expect(frame.getByRole("link", { name: "Watch on Northfield Sports Network" })).toHaveAttribute(
    "href",
    "/watch/1",
  );
});
