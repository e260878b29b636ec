import { join } from "node:path";
import type { Page } from "@playwright/test";
import { copiedChannels, freeAndLive } from "../support/channels";
import { type Encoder, startEncoder, untilExists } from "../support/encoder";
import { expect, test } from "../support/journey";

const EVENT = 1;
const channels = copiedChannels();
channels.setEvent(EVENT, freeAndLive({ id: 12, type: 2, source: "folder", path: "court/master.m3u8", dvr_s: 60 }));

test.use({ serviceWorkers: "block", flags: ["--channels", channels.path] });
test.afterAll(() => channels.remove());

const time = (page: Page) => page.locator("video").evaluate((video: HTMLVideoElement) => video.currentTime);
const range = (page: Page) =>
  page.locator("video").evaluate(({ seekable }: HTMLVideoElement) => {
    const at = seekable.length - 1;
    return at < 0 ? { start: 0, end: 0 } : { start: seekable.start(at), end: seekable.end(at) };
  });

/**
 * LIVE-4: a request for a future segment is answered once it exists, and the key frames of an encoder that lists none
 * are listed.
 */
async function expectForwarded({ request }: Page, master: string): Promise<void> {
  const read = async (url: string) => {
    const answer = await request.get(url);
    expect(answer.status(), url).toBe(200);
    return answer.text();
  };
  const entry = await read(master);
  const named = (tag: RegExp) => new URL(tag.exec(entry)?.[1] ?? "", master).href;
  const frames = named(/^#EXT-X-I-FRAME-STREAM-INF:.*URI="([^"]+)"/m);
  expect(await read(frames)).toContain("#EXT-X-I-FRAMES-ONLY");
  const media = named(/^#EXT-X-STREAM-INF.*\n(.+)$/m);
  const after = (text: string) =>
    Number(/^#EXT-X-MEDIA-SEQUENCE:(\d+)/m.exec(text)?.[1] ?? 0) + (text.match(/^#EXTINF/gm)?.length ?? 0);
  const next = after(await read(media));
  expect(after(await read(`${media}?_HLS_msn=${next}`))).toBeGreaterThan(next);
}

/** Its time advances by `seconds` more. */
async function expectPlaying(page: Page, seconds = 1): Promise<void> {
  const before = await time(page);
  await expect.poll(() => time(page), { timeout: 30_000 }).toBeGreaterThan(before + seconds);
}

test("an event goes live with its encoder, survives an encoder restart, ends, and becomes its recording (LIVE-1b, LIVE-2a, LIVE-3, LIVE-4, MEDIA-7, MEDIA-9a, MEDIA-11a)", async ({
  page,
  worker,
}) => {
  test.setTimeout(180_000);
  const folder = join(worker.data, "live/northfield/court");
  const masters: string[] = [];
  page.on("request", (request) => {
    if (/master\.m3u8(?:$|\?)/.test(request.url())) masters.push(request.url());
  });
  let encoder: Encoder | undefined;
  try {
    await page.goto(`/watch/${EVENT}`);
    await expect(page.getByRole("button", { name: "Watch live" })).toBeVisible();
    encoder = await startEncoder(folder);
    const first = await untilExists(join(folder, "v0/seg_000.m4s"));
    // The playlist follows its first segment.
    await untilExists(join(folder, "master.m3u8"));
    await untilExists(join(folder, "v0/index.m3u8"));
    await page.getByRole("button", { name: "Watch live" }).click();
    await expect(page.locator("video")).toHaveCount(1);
    await expect.poll(() => time(page), { timeout: 20_000, intervals: [50] }).toBeGreaterThan(0.2);
    const after = Date.now() - first;
    test.info().annotations.push({ type: "live", description: `plays ${after} ms after the first segment` });
    expect(after).toBeLessThan(10_000);

    await expectForwarded(page, masters.at(-1) ?? "");

    // Back to its start, which the encoder has removed by then.
    await expect.poll(async () => (await range(page)).end, { timeout: 30_000 }).toBeGreaterThan(7);
    await page.getByLabel("Position").press("Home");
    await expect.poll(() => time(page)).toBeLessThan(4);
    await expectPlaying(page);

    // Thumbnails of the existing part, which the worker has found in the segments.
    const bar = await page.getByLabel("Position").boundingBox();
    if (!bar) throw new Error("there is no line");
    await page.mouse.move(bar.x + bar.width * 0.4, bar.y + bar.height / 2);
    const bright = () =>
      page.locator(".player__picture").evaluate((canvas: HTMLCanvasElement) => {
        const values = [...(canvas.getContext("2d")?.getImageData(0, 0, 416, 234).data ?? [0])];
        return values.reduce((sum, value) => sum + value, 0) / values.length;
      });
    await expect.poll(bright, { timeout: 30_000 }).toBeGreaterThan(80);
    await page.mouse.move(bar.x, bar.y - 200);
    // Such a link starts at the beginning.
    await page.goto(`/watch/${EVENT}?from=start`);
    await page.getByRole("button", { name: "Watch live" }).click();
    await expect(page.locator("video")).toHaveCount(1);
    await expect.poll(async () => (await range(page)).end, { timeout: 30_000 }).toBeGreaterThan(7);
    await expect.poll(() => time(page)).toBeLessThan((await range(page)).end - 5);
    await page.getByRole("button", { name: "Back to live" }).click();
    await expect(page.getByRole("button", { name: "Back to live" })).toHaveCount(0);
    await page.getByRole("button", { name: "Start over" }).click();
    await expect(page.getByRole("button", { name: "Back to live" })).toBeVisible();

    // It crashes, and restarts with the same numbers and names.
    await encoder.kill();
    const { end } = await range(page);
    encoder = await startEncoder(folder);
    await expect.poll(async () => (await range(page)).end, { timeout: 30_000 }).toBeGreaterThan(end + 3);
    await page.getByLabel("Position").press("End");
    // A live player has some seconds buffered: it reaches the new output a little later.
    await expect.poll(() => time(page), { timeout: 30_000 }).toBeGreaterThan(end + 1);
    // It aims at three seconds from the end, and is at most eight behind.
    const late = async () => (await range(page)).end - (await time(page));
    await expect.poll(late, { timeout: 20_000 }).toBeLessThan(11);

    channels.setEvent(EVENT, (event) => ({
      ...event,
      duration_s: Math.floor(Date.now() / 1000) - Number(event.event_utc_ts),
    }));
    await expect(async () => {
      await page.goto(`/watch/${EVENT}`);
      await expect(page.getByRole("button", { name: "Watch", exact: true })).toBeVisible({ timeout: 1_000 });
    }).toPass({ timeout: 30_000 });
    await page.getByRole("button", { name: "Watch", exact: true }).click();
    await expect.poll(() => time(page), { timeout: 20_000 }).toBeGreaterThan(1);
    expect(await time(page)).toBeLessThan(8);
    const { duration } = await page.locator("video").evaluate(({ duration }: HTMLVideoElement) => ({ duration }));
    expect(duration).toBeGreaterThan(end);
    // Across the position where the encoder crashed.
    await page.locator("video").evaluate((video: HTMLVideoElement, at: number) => {
      video.currentTime = at;
    }, end - 1);
    await expectPlaying(page, 2);
  } finally {
    await encoder?.kill();
  }
});
