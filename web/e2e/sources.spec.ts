import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { type ChannelFolder, copiedChannels, freeAndLive } from "./support/channels";
import { type Encoder, startEncoder, untilThere } from "./support/encoder";
import { test as journey } from "./support/journey";
import { type Origin, serveFolder } from "./support/origin";
import { isStalled, playsSince, probe } from "./support/probe";

const [DIRECT, PULLED, EMBEDDED] = [1, 2, 3];
/** Plays what an encoder that began anew writes within this, milliseconds: 2 s where the processors are this test's. */
const WITHIN = process.env.OUTAGES_ALONE === "1" ? 2_000 : 8_000;

interface Elsewhere {
  readonly origin: Origin;
  /** The same files from another one, which the worker alone asks. */
  readonly hidden: Origin;
  /** Another server that the channel names nowhere. */
  readonly stranger: Origin;
  readonly die: () => Promise<void>;
  /** The encoder begins anew with the names and numbers of its first life; gives when there is something of it. */
  readonly beginAnew: () => Promise<number>;
}

/** An encoder whose files, and a player beside them, are served from an origin that is not the site's. */
const test = journey.extend<object, { elsewhere: Elsewhere; channels: ChannelFolder }>({
  elsewhere: [
    async ({ browserName: _browser }, use) => {
      const folder = mkdtempSync(join(tmpdir(), "touchline-origin-"));
      const origin = await serveFolder(folder);
      const hidden = await serveFolder(folder);
      const stranger = await serveFolder(folder);
      const player = "<!doctype html><title>Player</title><p>Another player</p>";
      writeFileSync(join(folder, "player.html"), player);
      let encoder: Encoder = await startEncoder(join(folder, "court"));
      const die = () => encoder.kill();
      const beginAnew = async () => {
        const playlists = ["v0", "v1"].map((name) => join(folder, "court", name, "index.m3u8"));
        for (const playlist of playlists) rmSync(playlist);
        encoder = await startEncoder(join(folder, "court"));
        return Math.max(...(await Promise.all(playlists.map(untilThere))));
      };
      await untilThere(join(folder, "court/master.m3u8"));
      await untilThere(join(folder, "court/v1/index.m3u8"));
      await use({ origin, hidden, stranger, die, beginAnew });
      await encoder.kill();
      origin.close();
      hidden.close();
      stranger.close();
      rmSync(folder, { recursive: true, force: true });
    },
    { scope: "worker" },
  ],
  channels: [
    async ({ elsewhere: { origin, hidden } }, use) => {
      const channels = copiedChannels();
      const path = "court/master.m3u8";
      channels.setEvent(DIRECT, freeAndLive({ id: 12, type: 2, source: "direct", path: `${origin.url}/${path}` }));
      channels.setEvent(PULLED, freeAndLive({ id: 22, type: 2, source: "pull", path: `${hidden.url}/${path}` }));
      channels.setEvent(EMBEDDED, freeAndLive({ id: 34, type: 4, path: `${origin.url}/player.html` }));
      await use(channels);
      channels.remove();
    },
    { scope: "worker" },
  ],
  flags: async ({ channels }, use) => use(["--channels", channels.path, "--media-private-networks", "true"]),
});
const { expect } = test;

const time = (page: Page) => page.locator("video").evaluate((video: HTMLVideoElement) => video.currentTime);

async function expectOnAir(page: Page, event: number): Promise<void> {
  await page.goto(`/watch/${event}`);
  await page.getByRole("button", { name: "Watch live" }).click();
  await expect(page.locator("video")).toHaveCount(1);
  await expect.poll(() => time(page), { timeout: 30_000 }).toBeGreaterThan(0);
  const before = await time(page);
  await expect.poll(() => time(page), { timeout: 30_000 }).toBeGreaterThan(before + 2);
}

test("live plays directly from another origin, and its player is framed: the policy names them and nobody else (LIVE-5)", async ({
  page,
  elsewhere: { origin, stranger },
}) => {
  await expectOnAir(page, DIRECT);
  expect(origin.asked.some((path) => path.endsWith(".m4s"))).toBe(true);
  const reach = (url: string) =>
    page.evaluate(
      (asked) =>
        fetch(asked).then(
          ({ status }) => status,
          () => "blocked",
        ),
      url,
    );
  expect(await reach(`${origin.url}/court/master.m3u8`)).toBe(200);
  expect(await reach(`${stranger.url}/court/master.m3u8`)).toBe("blocked");
  expect(stranger.asked).toEqual([]);

  await page.goto(`/watch/${EMBEDDED}`);
  await expect(page.frameLocator("iframe").getByText("Another player")).toBeVisible();
  await page.evaluate((src) => {
    const frame = document.createElement("iframe");
    frame.src = src;
    document.body.append(frame);
  }, `${stranger.url}/player.html`);
  await expect(page.locator("iframe").last()).toBeAttached();
  await expect.poll(() => page.frames().at(-1)?.url()).toMatch(/^chrome-error:/);
  expect(stranger.asked).toEqual([]);
});

test("live plays through the worker, and nothing in the page or the log tells where it is from (PULL-1, LIVE-7)", async ({
  page,
  worker,
  elsewhere: { hidden, die, beginAnew },
}) => {
  const { host, port } = new URL(hidden.url);
  const told: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes(host)) told.push(request.url());
  });
  page.on("response", async (response) => {
    const headers = JSON.stringify(await response.allHeaders().catch(() => ({})));
    const isText = /json|mpegurl|html|javascript/.test(response.headers()["content-type"] ?? "");
    const body = isText ? await response.text().catch(() => "") : "";
    if (`${headers}\n${body}`.includes(host)) told.push(response.url());
  });
  await expectOnAir(page, PULLED);
  expect(hidden.asked.some((path) => path.endsWith(".m4s"))).toBe(true);

  // LIVE-7: the picture stands no longer than it must, and goes on with what is written now.
  await probe(page);
  await die();
  await expect.poll(() => isStalled(page), { timeout: 30_000, intervals: [50] }).toBe(true);
  const clear = await beginAnew();
  await expect.poll(() => playsSince(page, clear), { timeout: 30_000, intervals: [50] }).not.toBeNull();
  const took = ((await playsSince(page, clear))?.at ?? Infinity) - clear;
  test.info().annotations.push({ type: "begun anew", description: `plays ${took} ms after` });
  expect(took).toBeLessThan(WITHIN);
  await expect.poll(() => time(page), { timeout: 30_000 }).toBeGreaterThan(4);
  expect(told).toEqual([]);
  expect(await page.content()).not.toContain(host);
  expect(worker.log()).not.toContain(port);
});
