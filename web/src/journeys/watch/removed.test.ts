// @vitest-environment jsdom
import { statusAt } from "../testing/channel/presenter";
import { journey, type Page } from "../testing/journey";

const REMOVED = { status: 404, body: { message: "Not found.", code: "not_found", errors: {} } };
const EVENT = ["GET /api/events/{id}", "GET /api/events/{id}/playback/{media_id}"];
const VIDEO = ["GET /api/vod-media-items/{id}", "GET /api/vod-media-items/{id}/playback"];

/** Plays the page's video until the channel removes it with its files. */
async function removeWhilePlaying(page: Page, path: string, operations: readonly string[]): Promise<void> {
  await page.goto(path);
  await page.main.press("Watch");
  const video = await page.plays();
  for (const operation of operations) page.channel.fail(operation, REMOVED);
  page.browser.media.remove(video);
}

journey("an open page says that the channel removed its recording or video (MEDIA-6)", async (page) => {
  await page.signIn({ capabilities: ["watch", "vod_media", "no_ads"] });
  const { events, videos } = page.channel.state.catalogue;
  // Their streams have a public address, or a personal one.
  for (const access of ["free", "register"]) {
    const finished = events.filter((event) => statusAt(event, Date.now() / 1_000) === "finished");
    const event = finished.find(({ access_type, media }) => access_type === access && media.length > 1);
    const video = videos.find(({ access_type }) => access_type === access);
    await removeWhilePlaying(page, `/watch/${event?.id}`, EVENT);
    await page.main.sees("We couldn’t find this event.");
    await removeWhilePlaying(page, `/vod_library/${video?.id}`, VIDEO);
    await page.main.sees("We couldn’t find this video.");
    page.channel.heal();
  }
});

journey("an open page says that its clip was removed (MEDIA-6, ROUTE-3c, ROUTE-3d)", async (page) => {
  const vera = await page.signIn({ email_verified: true, capabilities: ["watch", "clipping", "no_ads"] });
  await page.goto("/watch/25");
  await page.main.press("Watch");
  await page.plays();
  await page.press("Clip");
  await page.fill("Name", "First goal");
  await page.press("Goal");
  await page.press("Create clip");
  await page.sees("Your clip is ready");
  const [clip] = vera.clips;
  await removeWhilePlaying(page, `/share/${clip?.id}/${clip?.uuid}`, ["GET /api/shared-clip/{id}"]);
  await page.main.sees("We couldn’t find this video.");
  await page.goto(`/watch_library/${clip?.id}`);
  await page.main.press("Watch");
  const video = await page.plays();
  vera.clips = [];
  page.browser.media.remove(video);
  await page.main.sees("We couldn’t find this video.");
});
