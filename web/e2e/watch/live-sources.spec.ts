import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "@playwright/test";
import { IS_ALONE } from "../support/alone";
import { type ChannelFolder, copiedChannels, freeAndLive } from "../support/channels";
import { type Encoder, startEncoder, untilExists } from "../support/encoder";
import { test as journey } from "../support/journey";
import { type Origin, serveFolder } from "../support/origin";
import { isStalled, playsSince, probe } from "../support/probe";
import { BINARY } from "../support/worker";

const [DIRECT, PULLED, EMBEDDED, AWAY] = [1, 2, 3, 4];
/**
 * Time limit for playing a restarted encoder's output, in milliseconds: 2 s if the test has the processors to itself.
 */
const LIMIT_MS = IS_ALONE ? 2_000 : 8_000;

interface ForeignOrigin {
  readonly origin: Origin;
  /** The same files from another server, which only the worker requests. */
  readonly hidden: Origin;
  /** Another server, which the channel doesn't name. */
  readonly stranger: Origin;
  readonly die: () => Promise<void>;
  /** Restarts the encoder with the same names and numbers; returns the time of its first output. */
  readonly beginAnew: () => Promise<number>;
}

/** An encoder whose files, and a player beside them, are served from an origin other than the site's. */
const test = journey.extend<object, { elsewhere: ForeignOrigin; channels: ChannelFolder }>({
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
      const restart = async () => {
        const playlists = ["v0", "v1"].map((name) => join(folder, "court", name, "index.m3u8"));
        for (const playlist of playlists) rmSync(playlist);
        encoder = await startEncoder(join(folder, "court"));
        return Math.max(...(await Promise.all(playlists.map(untilExists))));
      };
      await untilExists(join(folder, "court/master.m3u8"));
      await untilExists(join(folder, "court/v1/index.m3u8"));
      await use({ origin, hidden, stranger, die, beginAnew: restart });
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
      channels.setEvent(AWAY, freeAndLive({ id: 42, type: 2, source: "pull", path: `${hidden.url}/none.m3u8` }));
      await use(channels);
      channels.remove();
    },
    { scope: "worker" },
  ],
  flags: async ({ channels }, use) => use(["--channels", channels.path, "--media-private-networks", "true"]),
});
const { expect } = test;

test.use({ serviceWorkers: "block" });

const time = (page: Page) => page.locator("video").evaluate((video: HTMLVideoElement) => video.currentTime);

async function expectLive(page: Page, event: number): Promise<void> {
  await page.goto(`/watch/${event}`);
  await page.getByRole("button", { name: "Watch live" }).click();
  await expect(page.locator("video")).toHaveCount(1);
  await expect.poll(() => time(page), { timeout: 30_000 }).toBeGreaterThan(0);
  const before = await time(page);
  await expect.poll(() => time(page), { timeout: 30_000 }).toBeGreaterThan(before + 2);
}

/** The output of `touchline check --media` for each medium. This process runs the servers that it requests. */
async function checked({ path }: ChannelFolder): Promise<string> {
  const flags = ["check", "--media", "--channels", path, "--media-private-networks", "true"];
  const { stdout, stderr } = await promisify(execFile)(BINARY, flags).catch(
    (failed: { stdout: string; stderr: string }) => failed,
  );
  return `${stdout}\n${stderr}`;
}

test("live plays directly from another origin, and an external player is framed: the policy names only them (LIVE-5a, LIVE-5b, LIVE-6)", async ({
  page,
  channels,
  elsewhere: { origin, stranger },
}) => {
  const said = await checked(channels);
  for (const line of ["medium 12 (direct): plays", "medium 22 (pull): plays", "medium 34 (player): plays"])
    expect(said).toContain(line);
  expect(said).toMatch(/medium 42 \(pull\).*the host returned 404.*encoder is live/);
  await expectLive(page, DIRECT);
  expect(origin.requested.some((path) => path.endsWith(".m4s"))).toBe(true);
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
  expect(stranger.requested).toEqual([]);

  await page.goto(`/watch/${EMBEDDED}`);
  // The other site is requested once the viewer wants it.
  await expect(page.locator("iframe")).toHaveCount(0);
  await page
    .getByRole("main")
    .getByRole("button", { name: /^Watch/ })
    .click();
  await expect(page.frameLocator("iframe").getByText("Another player")).toBeVisible();
  await page.evaluate((src) => {
    const frame = document.createElement("iframe");
    frame.src = src;
    document.body.append(frame);
  }, `${stranger.url}/player.html`);
  await expect(page.locator("iframe").last()).toBeAttached();
  await expect.poll(() => page.frames().at(-1)?.url()).toMatch(/^chrome-error:/);
  expect(stranger.requested).toEqual([]);
});

test("live plays through the worker, and neither the page nor the log reveals its origin (PULL-1b, PULL-3, LIVE-7)", async ({
  page,
  worker,
  elsewhere: { hidden, die, beginAnew: restart },
}) => {
  const { host, port } = new URL(hidden.url);
  const requested: string[] = [];
  const playlists: string[] = [];
  page.on("request", (request) => {
    if (/\.m3u8(?:$|\?)/.test(request.url())) playlists.push(request.url());
    if (request.url().includes(host)) requested.push(request.url());
  });
  page.on("response", async (response) => {
    const headers = JSON.stringify(await response.allHeaders().catch(() => ({})));
    const isText = /json|mpegurl|html|javascript/.test(response.headers()["content-type"] ?? "");
    const body = isText ? await response.text().catch(() => "") : "";
    if (`${headers}\n${body}`.includes(host)) requested.push(response.url());
  });
  await expectLive(page, PULLED);
  expect(hidden.requested.some((path) => path.endsWith(".m4s"))).toBe(true);

  // LIVE-7: the picture freezes no longer than necessary, and continues with the new output.
  await probe(page);
  await die();
  await expect.poll(() => isStalled(page), { timeout: 30_000, intervals: [50] }).toBe(true);
  const clear = await restart();
  await expect.poll(() => playsSince(page, clear), { timeout: 30_000, intervals: [50] }).not.toBeNull();
  const took = ((await playsSince(page, clear))?.at ?? Infinity) - clear;
  test.info().annotations.push({ type: "restarted", description: `plays ${took} ms after` });
  expect(took).toBeLessThan(LIMIT_MS);
  await expect.poll(() => time(page), { timeout: 30_000 }).toBeGreaterThan(4);
  expect(requested).toEqual([]);
  expect(await page.content()).not.toContain(host);
  expect(worker.log()).not.toContain(port);

  // PULL-3: a failure there is reported as one, and isn't cached for later viewers.
  const requestMedia = async () => {
    const answer = await page.request.get(playlists.at(-1) ?? "");
    expect(await answer.text()).not.toContain(host);
    return answer.status();
  };
  hidden.answer = (_, response) => {
    response.writeHead(500).end();
    return true;
  };
  await expect.poll(requestMedia, { timeout: 15_000 }).toBe(502);
  hidden.answer = () => false;
  await expect.poll(requestMedia, { timeout: 5_000 }).toBe(200);
});
