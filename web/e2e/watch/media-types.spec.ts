import { copiedChannels, type EventRecord } from "../support/channels";
import { expect, test } from "../support/journey";

/** Free recordings, a free event that is live, and one that another site plays. */
const [ALL, ALTERNATIVE, FRAMED] = [25, 31, 37];
const [LIVE, EMBEDDED] = [3, 49];
const PREVIEW = "hls/preview/master.m3u8";
const PLAYER = "https://player.example/";
const channels = copiedChannels();
const give = (id: number, media: (of: (type: number) => object) => readonly object[]) =>
  channels.setEvent(id, ({ single_event_package_id: _, media: had, ...event }: EventRecord) => ({
    ...event,
    access_type: "free",
    type: "other",
    base_price: 0,
    service_fee: 0,
    media: media((type) => (had as { type: number }[]).find((one) => one.type === type) ?? {}),
  }));
give(ALL, (of) => [{ id: 9001, type: 1, path: "posters/hall.jpg" }, of(3), of(5), of(6)]);
give(ALTERNATIVE, (of) => [of(3), { id: 9007, type: 7, path: PREVIEW, duration_s: 12 }]);
give(FRAMED, (of) => [of(3), { id: 9008, type: 8, path: `${PLAYER}preview.html` }]);
give(LIVE, (of) => [of(2), of(3), of(5)]);
give(EMBEDDED, (of) => [of(5), { id: 9004, type: 4, path: `${PLAYER}event.html` }]);

test.use({ flags: ["--channels", channels.path], serviceWorkers: "block" });
test.afterAll(() => channels.remove());

test("a medium is what its number says: image, live, vod, embedded, thumbnails and three kinds of preview (EVENT-3)", async ({
  page,
}) => {
  await page.route(`${PLAYER}**`, (route) => route.fulfill({ contentType: "text/html", body: "<h1>A player</h1>" }));
  const main = page.getByRole("main");
  const watch = (name: string) => main.getByRole("button", { name, exact: true });
  const preview = main.getByRole("button", { name: /^Watch the preview/ });
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const streams = () => asked.filter((path) => path.endsWith("/master.m3u8")).map((path) => path.split("/").at(4));

  // The image is on the event's cards, the thumbnails are the still of its page.
  await page.goto("/vod");
  await main.getByRole("button", { name: "Cards" }).click();
  const card = main.locator(".event-card").filter({ has: page.locator(`a[href="/watch/${ALL}"]`) });
  await expect(card.locator('img[src*="posters/hall.jpg"]')).toBeVisible();
  await page.goto(`/watch/${ALL}`);
  await expect(main.locator('.stage img[src*="posters/court.jpg"]')).toBeVisible();
  await preview.click();
  await expect.poll(streams).toContain("e256");
  await page.goto(`/watch/${ALTERNATIVE}`);
  await preview.click();
  await expect.poll(streams).toContain("e9007");
  await page.reload();
  await watch("Watch").click();
  await expect(page.getByLabel("Position")).toBeVisible();
  await expect.poll(streams).toContain("e313");
  await page.goto(`/watch/${FRAMED}`);
  await preview.click();
  await expect(main.frameLocator("iframe").getByText("A player")).toBeVisible();
  expect(page.frames().at(-1)?.url()).toBe(`${PLAYER}preview.html`);
  await page.goto(`/watch/${EMBEDDED}`);
  await watch("Watch").click();
  await expect(main.frameLocator("iframe").getByText("A player")).toBeVisible();
  expect(page.frames().at(-1)?.url()).toBe(`${PLAYER}event.html`);
  await page.goto(`/watch/${LIVE}`);
  await watch("Watch live").click();
  await expect.poll(streams).toContain("l32");
});
