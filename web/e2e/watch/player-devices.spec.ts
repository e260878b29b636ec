import AxeBuilder from "@axe-core/playwright";
import { chromium, type Page } from "@playwright/test";
import { PAGES_ALONE, WHOLE_BROWSER } from "../support/chromium";
import { expect, test } from "../support/journey";
import { expectStarted, registerVerified } from "../support/viewer";

// Its pages change between full screen and a window.
test.use({ launchOptions: WHOLE_BROWSER, serviceWorkers: "block" });

const VIDEO = "/vod_library/1";
const time = (page: Page) => page.locator(".player__video").evaluate((video: HTMLVideoElement) => video.currentTime);
const watch = (page: Page) => page.getByRole("main").getByRole("button", { name: "Watch", exact: true });

async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).include(".player").analyze();
  expect(violations.map(({ id, nodes }) => `${id} ${nodes.map(({ html }) => html).join()}`)).toEqual([]);
}

/**
 * A double tap at this share of the picture's width.
 *
 * The taps bear times 100 ms apart, so that a slow machine doesn't make two single taps of them.
 */
async function doubleTap(page: Page, share: number): Promise<void> {
  const video = page.locator(".player__video");
  const size = await video.evaluate(({ clientWidth, clientHeight }) => ({ width: clientWidth, height: clientHeight }));
  const position = { x: size.width * share, y: size.height * 0.35 };
  // After a change of full screen the page scrolls: this waits until the picture stays where it is.
  await video.tap({ trial: true, position });
  const box = await video.boundingBox();
  if (!box) throw new Error("there is no picture");
  const point = { x: Math.round(box.x + position.x), y: Math.round(box.y + position.y) };
  const devtools = await page.context().newCDPSession(page);
  const start = Date.now() / 1000;
  await Promise.all(
    [0, 0.1].flatMap((wait) => [
      devtools.send("Input.dispatchTouchEvent", {
        type: "touchStart",
        touchPoints: [point],
        timestamp: start + wait,
      }),
      devtools.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [], timestamp: start + wait + 0.02 }),
    ]),
  );
  await devtools.detach();
}

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test("all buttons fit into a narrow phone's picture, in both languages; the clip form scrolls into view, also from full screen, and a double click makes one clip (MEDIA-8, CLIP-1)", async ({
    page,
  }) => {
    await registerVerified(page);
    await page.setViewportSize({ width: 360, height: 780 });
    const row = page.locator(".player__row");
    const expectWithin = async (what: string) => {
      const buttons = await row.getByRole("button").evaluateAll((all) => {
        const places = all.map((one) => one.getBoundingClientRect());
        return places.filter(({ width }) => width > 0).map(({ left, right }) => [left, right]);
      });
      expect(buttons.length, what).toBeGreaterThanOrEqual(5);
      for (const [left = -1, right = 361] of buttons) {
        expect(left, what).toBeGreaterThanOrEqual(0);
        expect(right, what).toBeLessThanOrEqual(360);
      }
    };
    // The initial language of each, and the one that it is switched to.
    for (const [path, before, after] of [
      ["/watch/3", "Clip", "Extrait"],
      ["/watch/25", "Extrait", "Clip"],
    ] as const) {
      await page.goto(path);
      await page.locator(".stage").getByRole("button").first().tap();
      await expectStarted(page);
      await expect(row.locator(".player__clip"), path).toHaveAccessibleName(before);
      await expectWithin(`${path} ${before}`);
      await page.getByRole("button", { name: after === "Clip" ? "English" : "Français" }).click();
      await expect(row.locator(".player__clip"), path).toHaveAccessibleName(after);
      await expectWithin(`${path} ${after}`);
    }

    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole("button", { name: "Full screen" }).click();
    await expect.poll(() => page.evaluate(() => document.fullscreenElement !== null)).toBe(true);
    await page.getByRole("button", { name: "Clip", exact: true }).click();
    await expect(page.getByRole("heading", { name: "Create a clip" })).toBeFocused();
    const make = page.getByRole("button", { name: "Create clip" });
    await expect(make).toBeInViewport({ ratio: 1 });
    expect(await page.evaluate(() => document.fullscreenElement)).toBeNull();
    await page.getByLabel("Name", { exact: true }).fill("Once");
    await page.getByRole("button", { name: "Goal", exact: true }).click();
    await make.dblclick();
    // On a fast machine it is ready by then.
    await expect(page.getByRole("heading", { name: /^Your clip is (on its way|ready)$/ })).toBeFocused();
    await expect(page).toHaveURL("/watch/25");
    await page.goto("/profile/clips");
    await expect(page.getByRole("main").getByRole("heading", { name: "Once", exact: true })).toHaveCount(1);
  });

  test("without any full screen the player covers the whole window, on both kinds of page (MEDIA-16)", async ({
    page,
  }) => {
    // A browser with neither the standard API nor WebKit's.
    await page.addInitScript(() => {
      Object.defineProperty(Document.prototype, "fullscreenEnabled", { get: () => false });
    });
    for (const [path, press] of [
      [VIDEO, watch(page)],
      ["/watch/25", page.locator(".stage").getByRole("button").first()],
    ] as const) {
      await page.goto(path);
      await press.tap();
      await expectStarted(page);
      await page.getByRole("button", { name: "Full screen" }).tap();
      await expect.poll(() => page.locator(".player").boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 844 });
      // Header, tab bar and notices leave the controls free.
      for (const name of ["Play", "Pause", "Exit full screen"]) {
        const button = page.getByRole("button", { name, exact: true });
        if ((await button.count()) === 1) await button.click({ trial: true });
      }
      await expectAccessible(page);
      await page.getByRole("button", { name: "Exit full screen" }).tap();
      await expect.poll(async () => (await page.locator(".player").boundingBox())?.height).toBeLessThan(300);
    }
  });

  test("a phone in landscape is filled, also from the start, and double taps seek ten seconds (MEDIA-8d, MEDIA-8e)", async ({
    page,
  }) => {
    // The device APIs that the page calls.
    await page.addInitScript(() => {
      const said: { [name: string]: unknown } = {};
      Object.assign(window, { said });
      const { mediaSession } = navigator;
      const handlers: { [action: string]: MediaSessionActionHandler | null } = {};
      said.handlers = handlers;
      mediaSession.setActionHandler = (action, handler) => {
        handlers[action] = handler;
      };
      said.locks = 0;
      const request = async () => {
        said.locks = (said.locks as number) + 1;
        return { release: async () => undefined } as WakeLockSentinel;
      };
      if ("wakeLock" in navigator) navigator.wakeLock.request = request;
      HTMLVideoElement.prototype.requestPictureInPicture = async () => {
        said.pip = true;
        return {} as PictureInPictureWindow;
      };
    });
    await page.setViewportSize({ width: 844, height: 390 });
    await page.goto(VIDEO);
    await watch(page).tap();
    await expectStarted(page);
    // It was in landscape already.
    await expect.poll(() => page.locator(".player").boundingBox()).toEqual({ x: 0, y: 0, width: 844, height: 390 });
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(async () => (await page.locator(".player").boundingBox())?.width).toBe(358);
    // Each skip in whole seconds.
    const skips = await page.locator(".player__video").evaluateHandle((video: HTMLVideoElement) => {
      const seconds: number[] = [];
      const time = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, "currentTime");
      Object.defineProperty(video, "currentTime", {
        get: () => time?.get?.call(video),
        set: (to: number) => {
          seconds.push(Math.round(to - time?.get?.call(video)));
          time?.set?.call(video, to);
        },
      });
      return seconds;
    });
    await doubleTap(page, 0.9);
    await expect.poll(() => skips.jsonValue()).toEqual([10]);
    // Also right after the other: taps on two sides aren't a double tap.
    await doubleTap(page, 0.1);
    await expect.poll(() => skips.jsonValue()).toEqual([10, -10]);
    // A tap in the middle doesn't pause.
    await page.touchscreen.tap(195, 200);
    expect(await page.locator(".player__video").evaluate((video: HTMLVideoElement) => video.paused)).toBe(false);
    await expectAccessible(page);

    await page.setViewportSize({ width: 844, height: 390 });
    await expect.poll(() => page.locator(".player").boundingBox()).toEqual({ x: 0, y: 0, width: 844, height: 390 });
    await expectAccessible(page);
    await page.screenshot({ path: test.info().outputPath("sideways.png") });
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(async () => (await page.locator(".player").boundingBox())?.width).toBe(358);

    // The lock screen and the headset.
    const act = (action: string, details: object = {}) =>
      page.evaluate(
        ([name, more]) => {
          const { handlers } = (window as unknown as { said: { handlers: Record<string, (of: object) => void> } }).said;
          handlers[name as string]?.({ action: name, ...(more as object) });
        },
        [action, details] as const,
      );
    await act("pause");
    await expect
      .poll(() => page.locator(".player__video").evaluate((video: HTMLVideoElement) => video.paused))
      .toBe(true);
    await act("seekto", { seekTime: 30 });
    await expect.poll(() => time(page)).toBeCloseTo(30, 0);
    await act("seekbackward", { seekOffset: 20 });
    await expect.poll(() => time(page)).toBeCloseTo(10, 0);
    await act("play");
    await expect
      .poll(() => page.locator(".player__video").evaluate((video: HTMLVideoElement) => video.paused))
      .toBe(false);
    await page.keyboard.press("i");
    const said = await page.evaluate(() => {
      const { pip, locks } = (window as unknown as { said: { pip: boolean; locks: number } }).said;
      return { pip, locks, title: navigator.mediaSession.metadata?.title };
    });
    expect(said.pip).toBe(true);
    expect(said.locks).toBeGreaterThan(0);
    expect(said.title).toContain("Ten plays of the week");
  });
});

test.describe("on a television", () => {
  test.use({
    viewport: { width: 1280, height: 720 },
    userAgent: "Mozilla/5.0 (SMART-TV; LINUX; Tizen 8.0) AppleWebKit/537.36 (KHTML, like Gecko) 108.0 TV Safari/537.36",
  });

  test("arrows reach every control, Enter presses it, Back leaves (MEDIA-8, MEDIA-12b)", async ({
    worker,
    userAgent,
    viewport,
  }) => {
    // This device's browser moves the focus of a page itself.
    const browser = await chromium.launch({
      executablePath: PAGES_ALONE.executablePath ?? "",
      args: ["--no-sandbox", "--disable-gpu", "--enable-spatial-navigation"],
    });
    try {
      const context = await browser.newContext({ baseURL: worker.origin, userAgent: userAgent ?? "", viewport });
      const page = await context.newPage();
      await page.goto("/vod_library");
      await page.goto(VIDEO);
      await expect(watch(page)).toBeVisible();
      await expect(async () => {
        await page.keyboard.press("ArrowDown");
        await expect(watch(page)).toBeFocused({ timeout: 200 });
      }).toPass({ timeout: 20_000 });
      await page.keyboard.press("Enter");
      await expectStarted(page);
      // On the picture, left and right seek.
      await page.keyboard.press("ArrowRight");
      await expect.poll(() => time(page)).toBeGreaterThan(5);
      await page.keyboard.press("ArrowDown");
      await expect(page.getByRole("button", { name: "Pause", exact: true })).toBeFocused();
      await page.keyboard.press("Enter");
      await expect(page.getByRole("button", { name: "Play", exact: true }).first()).toBeFocused();
      await page.keyboard.press("ArrowRight");
      await expect(page.getByRole("button", { name: "Back 10 seconds" })).toBeFocused();
      await page.keyboard.press("ArrowUp");
      const line = page.getByLabel("Position");
      await expect(line).toBeFocused();
      const position = await time(page);
      await page.keyboard.press("ArrowRight");
      await expect.poll(() => time(page)).toBeGreaterThan(position + 8);
      await page.keyboard.press("ArrowDown");
      await expect(page.getByRole("button", { name: "Play", exact: true }).first()).toBeFocused();
      await page.keyboard.press("Enter");
      await expect
        .poll(() => page.locator(".player__video").evaluate((video: HTMLVideoElement) => video.paused))
        .toBe(false);
      // Every button of the row is reached, from the first one on.
      const buttons = page.locator(".player__row").getByRole("button");
      const labels = await buttons.evaluateAll((all) =>
        all.filter((one) => one.getBoundingClientRect().width > 0).map((one) => one.getAttribute("aria-label")),
      );
      const current = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? null);
      const reached = new Set([await current()]);
      for (let presses = 0; presses < 2 * labels.length && reached.size < labels.length; presses += 1) {
        await page.keyboard.press("ArrowRight");
        const label = await current();
        if (labels.includes(label)) reached.add(label);
      }
      for (let presses = 0; presses < 2 * labels.length && reached.size < labels.length; presses += 1) {
        await page.keyboard.press("ArrowLeft");
        const label = await current();
        if (labels.includes(label)) reached.add(label);
      }
      expect(labels.filter((label) => !reached.has(label))).toEqual([]);
      await page.goBack();
      await expect(page).toHaveURL(/\/vod_library$/);
      await expect(page.locator("video")).toHaveCount(0);
    } finally {
      await browser.close();
    }
  });
});
