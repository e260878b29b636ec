// @vitest-environment jsdom
import { expect } from "vitest";
import { journey, type Page } from "../testing/journey";

/** The audio tracks of a browser that plays HLS itself; jsdom has none. */
class AudioTracks extends EventTarget {
  readonly [index: number]: { kind: string; label: string; language: string; enabled: boolean };
  readonly length = 3;
  constructor() {
    super();
    [
      { kind: "main", label: "Home commentary", language: "fr", enabled: true },
      { kind: "alternative", label: "English", language: "en", enabled: false },
      { kind: "main-desc", label: "English", language: "en", enabled: false },
    ].forEach((track, index) => {
      Object.assign(this, { [index]: track });
    });
  }
  get playing(): number[] {
    return Array.from(this as ArrayLike<{ enabled: boolean }>).flatMap(({ enabled }, index) =>
      enabled ? [index] : [],
    );
  }
}

/** Opens a recording and announces its tracks. */
async function watch(page: Page, path: string): Promise<AudioTracks> {
  const lists = new WeakMap<Element, AudioTracks>();
  Object.defineProperty(HTMLMediaElement.prototype, "audioTracks", {
    configurable: true,
    get(this: Element) {
      if (!lists.has(this)) lists.set(this, new AudioTracks());
      return lists.get(this);
    },
  });
  await page.goto(path);
  await page.main.press("Watch");
  const tracks = lists.get(await page.plays()) ?? expect.fail("the player reads no audio tracks");
  tracks.dispatchEvent(new Event("addtrack"));
  return tracks;
}

journey("audio starts in the site's language, and the viewer's choice is kept (MEDIA-17b)", async (page) => {
  await page.signIn({ capabilities: ["watch", "no_ads"] });
  const first = await watch(page, "/watch/25");
  expect(first.playing).toEqual([1]);
  await page.press("Settings");
  const audio = await page.field("Audio");
  expect([...audio.querySelectorAll("option")].map(({ textContent }) => textContent)).toEqual([
    "Home commentary (French)",
    "English",
    "English, audio description",
  ]);
  await page.select("Audio", "Home commentary (French)");
  expect(first.playing).toEqual([0]);
  await page.pass(1_500);
  const second = await watch(page, "/watch/25");
  expect(second.playing).toEqual([0]);
});
