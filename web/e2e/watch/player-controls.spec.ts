import { spawnSync } from "node:child_process";
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect } from "../support/journey";
import { test } from "../support/proxyJourney";
import { expectStarted, register, VERA } from "../support/viewer";
import { BINARY } from "../support/worker";

/** Captions of the first half, since a busy machine may miss one that is shown for three seconds. */
const ENGLISH = /Good evening|Harbor City wins|A quick pass|Northfield answers|Okafor gets/;
const FRENCH = /Bonsoir|Harbor City gagne|Passe rapide|Northfield répond|Okafor y met/;

const time = (page: Page) => page.locator(".player__video").evaluate((video: HTMLVideoElement) => video.currentTime);
const playsAt = (page: Page, from: number, timeout = 20_000) =>
  expect.poll(() => time(page), { timeout }).toBeGreaterThan(from);

/** The thumbnail over the seek bar: its average brightness, 0 to 255, and a fingerprint. */
const picture = (page: Page) =>
  page.locator(".player__picture").evaluate((canvas: HTMLCanvasElement) => {
    const values = [...(canvas.getContext("2d")?.getImageData(0, 0, 416, 234).data ?? [0])];
    const sum = values.reduce((all, value) => all + value, 0);
    return {
      bright: sum / values.length,
      mark: values.reduce((all, value, at) => (all + value * (at % 997)) % 1e9, 0),
    };
  });

async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).include(".player").analyze();
  expect(violations.map(({ id, nodes }) => `${id} ${nodes.map(({ html }) => html).join()}`)).toEqual([]);
}

// The next video starts only when it is pressed. Otherwise it starts after 8 s, which a check of the page may exceed.
test.use({ serviceWorkers: "block" });

test("fixed controls, thumbnails while seeking, caption settings, remaining time, and the next video (MEDIA-9a, MEDIA-9b, MEDIA-9c, MEDIA-10a, MEDIA-10b, MEDIA-11)", async ({
  page,
  between,
  worker,
}) => {
  test.setTimeout(150_000);
  await register(page);
  const named = ["--data", worker.data, "--channel", "northfield", "--email", VERA.email];
  const set = spawnSync(BINARY, ["user", "set", ...named, "--capabilities", "watch,clipping,no_ads"], {
    encoding: "utf8",
  });
  expect(set.status, set.stderr).toBe(0);
  let arrive = (): void => undefined;
  const arrived = new Promise<void>((done) => {
    arrive = done;
  });
  between.answer = async ({ url = "" }) => {
    if (/\/s\/e253\/.*master\.m3u8/.test(url)) await arrived;
    if (!/\/s\/v90001\/.*master\.m3u8/.test(url)) return null;
    // A stream without key frames.
    const playlist = await (await fetch(`${worker.origin}${url}`)).text();
    const headers = { "content-type": "application/vnd.apple.mpegurl" };
    return { status: 200, headers, body: playlist.replace(/#EXT-X-I-FRAME-STREAM-INF.*\n/g, "") };
  };
  await page.goto("/watch/25");
  await page.getByRole("button", { name: "Watch", exact: true }).click();
  // A press hits its target: no control moves while the video loads.
  const clip = page.getByRole("button", { name: "Clip", exact: true });
  await expect(clip).toBeVisible({ timeout: 30_000 });
  const before = await clip.boundingBox();
  arrive();
  await expect(page.getByRole("button", { name: "Captions" })).toBeVisible();
  expect(await clip.boundingBox()).toEqual(before);
  const bar = page.getByLabel("Position");
  await expect(bar).toHaveCount(1, { timeout: 40_000 });
  await playsAt(page, 0.2);

  // Its thumbnails are the starts of segments.
  const requested: string[] = [];
  page.on("request", (request) => {
    const range = request.headers().range;
    if (range !== undefined) requested.push(`${new URL(request.url()).pathname} ${range}`);
  });
  const line = await bar.boundingBox();
  if (!line) throw new Error("there is no line");
  const [looked, stood] = [Date.now(), await time(page)];
  await page.mouse.move(line.x + line.width * 0.6, line.y + line.height / 2);
  await expect(page.locator(".player__preview")).toContainText(/^0:2[34]$/);
  await expect.poll(async () => (await picture(page)).bright, { timeout: 30_000 }).toBeGreaterThan(80);
  const { mark } = await picture(page);
  await page.mouse.move(line.x + line.width * 0.9, line.y + line.height / 2);
  await expect.poll(async () => (await picture(page)).mark, { timeout: 30_000 }).not.toBe(mark);
  expect(requested.length).toBeGreaterThan(1);
  for (const one of requested) expect(one).toMatch(/\/s\/e253\/open\/v1\/seg_\d+\.m4s bytes=0-\d{4,5}$/);
  // Hovering isn't seeking: playback continued normally.
  expect((await time(page)) - stood).toBeLessThan((Date.now() - looked) / 1_000 + 1);
  await page.mouse.move(line.x, line.y - 200);
  await expect(page.locator(".player__preview")).toHaveCount(0);

  await page.keyboard.press("c");
  await page.keyboard.press("2");
  await expect(page.locator(".player__captions")).toContainText(ENGLISH);
  await page.getByRole("button", { name: "Settings" }).click();
  const settings = page.getByRole("dialog", { name: "Settings" });
  await settings.getByLabel("Caption language").selectOption({ label: "Français" });
  await settings.getByLabel("Caption size").selectOption("xl");
  await settings.getByLabel("Caption colour").selectOption("yellow");
  await settings.getByLabel("Caption background").selectOption("solid");
  await settings.getByLabel("Caption edge").selectOption("outline");
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Settings" })).toBeFocused();
  await bar.press("Home");
  const french = page.locator(".player__captions span");
  await expect(french).toContainText(FRENCH);
  expect(await french.evaluate((said) => getComputedStyle(said).color)).toBe("rgb(255, 225, 77)");
  const look = await page.locator(".player__captions").evaluate((lines) => {
    const { textShadow } = getComputedStyle(lines);
    return { textShadow, background: getComputedStyle(lines.querySelector("span") ?? lines).backgroundColor };
  });
  expect(look).toEqual({ background: "rgb(5, 9, 15)", textShadow: expect.stringContaining("rgb(0, 0, 0)") });
  // They stand above the controls.
  const captions = await page.locator(".player__captions").boundingBox();
  const controls = await bar.boundingBox();
  expect((captions?.y ?? 0) + (captions?.height ?? 0)).toBeLessThanOrEqual(controls?.y ?? 0);

  const elapsed = page.getByTitle("Show time remaining");
  await elapsed.click();
  await expect(page.locator(".player__time")).toContainText(/^−0:[0-3]\d/);
  const narrow = await page.locator(".player").boundingBox();
  await page.keyboard.press("t");
  await expect.poll(async () => (await page.locator(".player").boundingBox())?.width).toBe(1280);
  expect(narrow?.width).toBeLessThan(1000);
  await expect(page.getByRole("button", { name: "Theatre mode" })).toHaveAttribute("aria-pressed", "true");

  // The choice persists on another page.
  await page.goto("/watch/25?t=8");
  await page.getByRole("button", { name: "Watch", exact: true }).click();
  await expect(page.locator(".player__captions")).toContainText(FRENCH, { timeout: 40_000 });
  await expect(page.locator(".player__time")).toContainText(/^−/);
  expect((await page.locator(".player").boundingBox())?.width).toBe(1280);

  await bar.press("End");
  const next = page.getByRole("region", { name: "Up next" });
  await expect(next).toBeVisible({ timeout: 30_000 });
  await expectAccessible(page);
  await expect(next.getByRole("button", { name: "Play now" })).toBeFocused();
  // Going back from the end continues playback.
  await bar.press("Home");
  await expect(next).toHaveCount(0);
  await expect.poll(() => time(page)).toBeLessThan(10);
  await playsAt(page, 0.2);
  await bar.press("End");
  await expect(next).toBeVisible({ timeout: 30_000 });
  await next.getByRole("button", { name: "Play now" }).click();
  await expect(page).not.toHaveURL(/\/watch\/25/);
  await expectStarted(page);

  // A library video is as wide, and its rail's next one plays without a press.
  await page.goto("/vod_library/1");
  await page.getByRole("button", { name: "Watch", exact: true }).click();
  await expectStarted(page);
  await expect.poll(async () => (await page.locator(".player").boundingBox())?.width).toBe(1280);
  const second = await bar.boundingBox();
  await page.mouse.move((second?.x ?? 0) + (second?.width ?? 0) / 2, (second?.y ?? 0) + (second?.height ?? 0) / 2);
  await expect(page.locator(".player__preview")).toContainText(/^0:\d\d$/);
  await expect(page.locator(".player__picture")).toHaveCount(0);
  await page.mouse.move(0, 0);
  await page.keyboard.press("t");
  // As wide as when reached through the library.
  await expect.poll(async () => (await page.locator(".player").boundingBox())?.width).toBeLessThan(1000);
  await page.keyboard.press("t");
  await page.keyboard.press("End");
  await next.getByRole("button", { name: "Play now" }).click({ timeout: 30_000 });
  await expect(page).toHaveURL(/\/vod_library\/(?!1$)\d+$/);
  await expectStarted(page);
  expect((await page.locator(".player").boundingBox())?.width).toBe(1280);
});
