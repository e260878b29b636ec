import { get } from "node:http";
import { expect, test } from "./support/journey";
import { untilQuiet } from "./support/quiet";

/** The most JavaScript that the home page may need, bytes as they are sent to a browser that takes brotli. */
const LIMIT = 150 * 1024;

/** How many bytes the worker sends for `url`. A browser takes brotli over HTTPS alone, so it is asked for apart. */
function weigh(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { "accept-encoding": "br" } }, (answer) => {
      let bytes = 0;
      answer.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      answer.on("end", () => resolve(bytes)).on("error", reject);
    }).on("error", reject);
  });
}

test("the home page stays light", async ({ page }) => {
  const scripts = new Set<string>();
  page.on("request", (request) => {
    // What the service worker keeps for later is not what the first page waits for.
    if (request.serviceWorker() === null && request.resourceType() === "script") scripts.add(request.url());
  });
  await page.goto("/");
  await expect(page.locator(".event-card").first()).toBeVisible();
  await untilQuiet(page);
  const weights = await Promise.all([...scripts].map(async (url) => [url, await weigh(url)] as const));
  const total = weights.reduce((sum, [, bytes]) => sum + bytes, 0);
  const what = weights.map(([url, bytes]) => `${bytes} ${url}`).join("\n");
  expect(total, what).toBeGreaterThan(50_000);
  expect(total, what).toBeLessThanOrEqual(LIMIT);
});
