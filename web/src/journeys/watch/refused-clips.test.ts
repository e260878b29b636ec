// @vitest-environment jsdom
import { expect } from "vitest";
import { journey, type Page } from "../testing/journey";

async function makeClip(page: Page): Promise<void> {
  await page.press("Clip");
  await page.fill("Name", "The end");
  await page.press("Goal");
  await page.press("Create clip");
}

journey("a clip that is too long, or fails, says so in its form (ERR-9, VAL-6)", async (page) => {
  const vera = await page.signIn({ email_verified: true, capabilities: ["watch", "clipping", "no_ads"] });
  await page.goto("/watch/25");
  await page.main.press("Watch");
  await page.plays();
  const message = "Your clip duration is longer than the end time.";
  page.channel.fail("POST /api/clip", { status: 400, body: { message, code: "validation", errors: {} } }, 1);
  await makeClip(page);
  await page.main.sees(message);
  expect(vera.clips).toEqual([]);
  await makeClip(page);
  await page.browser.until(() => expect(vera.clips).toHaveLength(1));
  const [clip] = vera.clips;
  if (!clip) throw new Error("there is no clip");
  Object.assign(clip, { status: "failed", version: 2 });
  page.channel.state.clipChanged(vera, clip);
  await page.main.sees("clip creating failed");
});

journey("a refused video address is an error of the player (ERR-9)", async (page) => {
  await page.signIn();
  page.channel.fail("GET /api/vod-media-items/{id}/playback", {
    status: 403,
    body: { message: "No.", code: "forbidden", errors: {} },
  });
  await page.goto("/vod_library/2");
  await page.main.press("Watch");
  await page.main.sees("Oops! We are currently experiencing technical difficulties");
});
