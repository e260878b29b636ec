// @vitest-environment jsdom
import { expect } from "vitest";
import { CARDS, journey, type Page } from "../testing/journey";

const VIDEO = "/vod_library/1";
const REMOTE = "Play on another screen";
const UP_NEXT = '.player__next[aria-label="Up next"]';

/** Vera, who sees no prerolls. */
const signIn = (page: Page) => page.signIn({ capabilities: ["watch", "vod_media", "no_ads"] });

async function watch(page: Page, path: string): Promise<HTMLVideoElement> {
  await page.goto(path);
  await page.main.press("Watch");
  return page.plays();
}

/** Plays its last second. */
async function playToEnd(page: Page): Promise<void> {
  const video = await page.plays();
  video.currentTime = video.duration - 1;
  await page.within(UP_NEXT).appears();
}

journey("another screen is offered once the browser has found one: Remote Playback (MEDIA-10d)", async (page) => {
  let prompts = 0;
  let find: (found: boolean) => void = () => undefined;
  const remote = {
    watchAvailability: async (notify: typeof find) => {
      find = notify;
      return 1;
    },
    cancelWatchAvailability: async () => undefined,
    prompt: async () => {
      prompts += 1;
    },
  };
  Object.defineProperty(HTMLMediaElement.prototype, "remote", { configurable: true, get: () => remote });
  await signIn(page);
  await watch(page, VIDEO);
  expect(page.can(REMOTE)).toBe(false);
  find(true);
  await page.press(REMOTE);
  expect(prompts).toBe(1);
  find(false);
  await page.browser.untilDisplayed(() => expect(page.can(REMOTE)).toBe(false));
  // Leaving the page stops watching for screens.
  await page.goto("/faq");
  Reflect.deleteProperty(HTMLMediaElement.prototype, "remote");
});

journey("another screen is offered once the browser has found one: AirPlay (MEDIA-10d)", async (page) => {
  // As in Safari.
  let pickers = 0;
  Object.assign(HTMLMediaElement.prototype, {
    webkitShowPlaybackTargetPicker: () => {
      pickers += 1;
    },
  });
  await signIn(page);
  const video = await watch(page, VIDEO);
  const find = (availability: string) =>
    video.dispatchEvent(Object.assign(new Event("webkitplaybacktargetavailabilitychanged"), { availability }));
  expect(page.can(REMOTE)).toBe(false);
  find("available");
  await page.press(REMOTE);
  expect(pickers).toBe(1);
  find("not-available");
  await page.browser.untilDisplayed(() => expect(page.can(REMOTE)).toBe(false));
  Reflect.deleteProperty(HTMLMediaElement.prototype, "webkitShowPlaybackTargetPicker");
});

journey("the next recording follows, unless its viewer cancels it (MEDIA-11b)", async (page) => {
  await signIn(page);
  const video = await watch(page, "/watch/25");
  await playToEnd(page);
  const next = page.within(UP_NEXT);
  await page.browser.until(() => expect(document.activeElement?.textContent).toBe("Play now"));
  await next.press(/^Cancel/);
  expect(next.can(/^Cancel/)).toBe(false);
  await next.press("Watch again");
  await next.goes();
  await page.plays();
  expect(video.currentTime).toBeLessThan(10);
  // Going back from the end continues playback.
  await playToEnd(page);
  await page.fill("Position", "0");
  await next.goes();
  await page.plays();
  expect(video.currentTime).toBeLessThan(10);
  await playToEnd(page);
  const ended = Date.now();
  // Nobody presses anything.
  await page.isAt(/^\/watch\/(?!25)/);
  expect(Date.now() - ended).toBeGreaterThan(7_000);
  await page.plays();
});

journey("a failed decoder doesn't end a recording (MEDIA-6, MEDIA-11)", async (page) => {
  await signIn(page);
  const video = await watch(page, "/watch/25");
  // Its element claims to be at its end.
  Object.defineProperty(video, "error", { configurable: true, value: {} });
  video.dispatchEvent(new Event("ended"));
  Reflect.deleteProperty(video, "error");
  await page.plays();
  expect(page.can("Play now")).toBe(false);
});

journey("the next recording is one that the viewer may watch (MEDIA-11b)", async (page) => {
  await signIn(page);
  // The three earlier recordings of its category are for sale.
  await watch(page, "/watch/37");
  await playToEnd(page);
  await page.within(UP_NEXT).press("Play now");
  await page.isAt("/watch/51");
  await page.plays();
});

journey("after a library video the next one of its rail plays without a press (MEDIA-11b)", async (page) => {
  await signIn(page);
  await watch(page, VIDEO);
  await playToEnd(page);
  await page.within(UP_NEXT).press("Play now");
  await page.isAt(/^\/vod_library\/(?!1$)\d+$/);
  await page.plays();
});

journey("the next recording waits for its viewer if they prefer reduced motion (MEDIA-11b)", async (page) => {
  await signIn(page);
  window.matchMedia = (media) =>
    ({
      matches: media.includes("reduce"),
      media,
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }) as never;
  await watch(page, "/watch/25");
  await playToEnd(page);
  await page.pass(12_000);
  await page.isAt("/watch/25");
  expect(page.within(UP_NEXT).can("Play now")).toBe(true);
});

journey("a live event that was just paid for plays three seconds later (MEDIA-11c)", async (page) => {
  await page.signIn({ capabilities: ["watch", "no_ads"] });
  await page.goto("/watch/1");
  await page.main.press(/^Buy for/);
  await page.payWith(CARDS.pays);
  await page.sees("Paid. Enjoy the game.");
  const paid = Date.now();
  await page.isAt(/^\/watch\/1/);
  await page.plays();
  expect(Date.now() - paid).toBeGreaterThan(2_700);
  expect(Date.now() - paid).toBeLessThan(5_000);
});

journey("a frozen video says after two seconds what it is waiting for (MEDIA-6d)", async (page) => {
  await signIn(page);
  const video = await watch(page, VIDEO);
  const { media } = page.browser;
  // The network is lost: the element has stopped, and nothing loads any more.
  media.load = () => undefined;
  clearInterval(media.of(video).tick);
  video.dispatchEvent(new Event("waiting"));
  media.of(video).error = { code: MediaError.MEDIA_ERR_NETWORK, message: "" } as MediaError;
  const failed = Date.now();
  video.dispatchEvent(new Event("error"));
  const message = ".player__message--words";
  await page.within(message).appears();
  expect(Date.now() - failed).toBeGreaterThanOrEqual(2_000);
  expect(Date.now() - failed).toBeLessThan(3_500);
  await page.within(message).sees("The stream isn’t responding. Playback will resume automatically.");
});
