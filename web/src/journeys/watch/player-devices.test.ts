// @vitest-environment jsdom
import { fireEvent } from "@testing-library/dom";
import { expect } from "vitest";
import { journey, type Page } from "../testing/journey";

const VIDEO = "/vod_library/1";
const PIP = "Picture in picture";

/** Properties that a device defines or replaces, until its journey ends. */
class Device {
  private readonly undo: (() => void)[] = [];

  define(object: object, properties: { readonly [name: string]: unknown }): void {
    for (const [name, value] of Object.entries(properties)) {
      const before = Object.getOwnPropertyDescriptor(object, name);
      const descriptor = typeof value === "function" ? { value, writable: true } : { get: () => value };
      Object.defineProperty(object, name, { configurable: true, ...descriptor });
      this.undo.push(() =>
        before ? Object.defineProperty(object, name, before) : Reflect.deleteProperty(object, name),
      );
    }
  }

  /** The same for a value that changes. `set` does nothing, as on a device that ignores it. */
  read(object: object, name: string, get: (this: never) => unknown): void {
    const before = Object.getOwnPropertyDescriptor(object, name);
    Object.defineProperty(object, name, { configurable: true, get, set() {} });
    this.undo.push(() => (before ? Object.defineProperty(object, name, before) : Reflect.deleteProperty(object, name)));
  }

  remove(): void {
    for (const undo of this.undo.reverse()) undo();
  }
}

/** A journey on a device that `walk` equips. */
const onDevice = (name: string, walk: (page: Page, device: Device) => Promise<void>): void =>
  journey(name, async (page) => {
    const device = new Device();
    try {
      await walk(page, device);
    } finally {
      device.remove();
    }
  });

/** The standard API, or Safari's prefixed one. `refuses`: the browser rejects each request. */
function elementScreen(device: Device, prefixed: boolean, refuses = false) {
  const state: { element: Element | null } = { element: null };
  const name = (standard: string, webkit: string) => (prefixed ? webkit : standard);
  const change = (element: Element | null) => {
    state.element = element;
    document.dispatchEvent(new Event(name("fullscreenchange", "webkitfullscreenchange")));
  };
  const leave = async () => change(null);
  device.define(document, {
    [name("fullscreenEnabled", "webkitFullscreenEnabled")]: true,
    [name("exitFullscreen", "webkitExitFullscreen")]: prefixed ? () => void leave() : leave,
  });
  device.read(document, name("fullscreenElement", "webkitFullscreenElement"), () => state.element);
  device.define(Element.prototype, {
    [name("requestFullscreen", "webkitRequestFullscreen")](this: Element) {
      if (!refuses) change(this);
      else if (prefixed) document.dispatchEvent(new Event("webkitfullscreenerror"));
      if (!prefixed) return refuses ? Promise.reject(new TypeError("refused")) : Promise.resolve();
    },
  });
  return { state, change };
}

/** An iPhone: full screen and picture in picture belong to the video, and scripts can't set the volume. */
function iPhone(device: Device) {
  const calls: string[] = [];
  const state = { whole: false, mode: "inline" };
  device.define(HTMLVideoElement.prototype, {
    webkitEnterFullscreen(this: HTMLVideoElement) {
      if (this.readyState === 0) throw new DOMException("no metadata", "InvalidStateError");
      calls.push("enter");
      state.whole = true;
      this.dispatchEvent(new Event("webkitbeginfullscreen"));
    },
    webkitExitFullscreen(this: HTMLVideoElement) {
      calls.push("exit");
      state.whole = false;
      this.dispatchEvent(new Event("webkitendfullscreen"));
    },
    webkitSupportsPresentationMode: (mode: string) => mode === "picture-in-picture" || mode === "inline",
    webkitSetPresentationMode(this: HTMLVideoElement, mode: string) {
      state.mode = mode;
      this.dispatchEvent(new Event("webkitpresentationmodechanged"));
    },
  });
  const video = HTMLVideoElement.prototype;
  device.read(video, "webkitSupportsFullscreen", function (this: HTMLVideoElement) {
    return this.readyState > 0;
  });
  device.read(video, "webkitDisplayingFullscreen", () => state.whole);
  device.read(video, "webkitPresentationMode", () => state.mode);
  device.read(video, "volume", () => 1);
  return { calls, state };
}

const fills = () => document.querySelector(".player--filling") !== null;

async function watch(page: Page): Promise<HTMLVideoElement> {
  await page.signIn({ capabilities: ["watch", "vod_media", "no_ads"] });
  await page.goto(VIDEO);
  await page.main.press("Watch");
  return page.plays();
}

for (const [title, prefixed] of [
  ["the standard API", false],
  ["Safari's prefixed API", true],
] as const)
  onDevice(`full screen by ${title} follows the browser's events (MEDIA-16a, MEDIA-16e)`, async (page, device) => {
    const screen = elementScreen(device, prefixed);
    await watch(page);
    await page.press("Full screen");
    expect(screen.state.element?.className).toContain("player");
    await page.press("Exit full screen");
    expect(screen.state.element).toBeNull();
    await page.press("Full screen");
    // The browser's own gesture.
    screen.change(null);
    await page.browser.untilDisplayed(() => expect(page.can("Full screen")).toBe(true));
    // Another element's full screen isn't the player's.
    screen.change(document.body);
    await page.pass(50);
    expect(page.can("Full screen")).toBe(true);
    expect(fills()).toBe(false);
  });

for (const [title, prefixed] of [
  ["the standard API", false],
  ["Safari's prefixed API", true],
] as const)
  onDevice(`where ${title} refuses, the player fills the window (MEDIA-16a)`, async (page, device) => {
    elementScreen(device, prefixed, true);
    await watch(page);
    await page.press("Full screen");
    await page.press("Exit full screen");
    expect(fills()).toBe(false);
  });

onDevice(
  "an iPhone's full screen is the video's own, also from the clip form (MEDIA-16a, MEDIA-16e)",
  async (page, device) => {
    const phone = iPhone(device);
    const video = await watch(page);
    await page.press("Full screen");
    expect(phone.calls).toEqual(["enter"]);
    await page.press("Exit full screen");
    expect(phone.calls).toEqual(["enter", "exit"]);
    await page.press("Full screen");
    // *Done* on the phone's player.
    phone.state.whole = false;
    video.dispatchEvent(new Event("webkitendfullscreen"));
    await page.browser.untilDisplayed(() => expect(page.can("Full screen")).toBe(true));
    expect(fills()).toBe(false);
  },
);

onDevice("an iPhone that isn't ready for full screen fills the window (MEDIA-16a)", async (page, device) => {
  iPhone(device);
  device.define(HTMLVideoElement.prototype, {
    webkitEnterFullscreen() {
      throw new DOMException("not now", "InvalidStateError");
    },
  });
  await watch(page);
  await page.press("Full screen");
  await page.browser.untilDisplayed(() => expect(fills()).toBe(true));
});

onDevice("captions stay visible in the video's own full screen (MEDIA-16f)", async (page, device) => {
  const phone = iPhone(device);
  const track = Object.assign(new EventTarget(), { kind: "captions", language: "en", label: "English" });
  const state = Object.assign(track, { mode: "disabled", activeCues: [] });
  const tracks = Object.assign(new EventTarget(), { [Symbol.iterator]: () => [state][Symbol.iterator]() });
  device.define(HTMLMediaElement.prototype, { textTracks: tracks });
  const video = await watch(page);
  await page.press("Captions");
  await page.browser.until(() => expect(state.mode).toBe("hidden"));
  await page.press("Full screen");
  await page.browser.until(() => expect(state.mode).toBe("showing"));
  phone.state.whole = false;
  video.dispatchEvent(new Event("webkitendfullscreen"));
  await page.browser.until(() => expect(state.mode).toBe("hidden"));
});

onDevice("a preroll doesn't use the video's own full screen (MEDIA-16f)", async (page, device) => {
  const phone = iPhone(device);
  const { settings } = page.channel.state.catalogue;
  const [spot] = settings.prerolls as object[];
  settings.prerolls = [{ ...spot, event_categories: [], for_vod: true }];
  await page.signIn({ capabilities: ["watch", "vod_media"] });
  await page.goto(VIDEO);
  await page.settles();
  await page.main.press("Watch");
  await page.within(".player__ad").appears();
  const video = await page.video();
  await page.browser.until(() => expect(video.currentTime).toBeGreaterThan(0));
  await page.press("Full screen");
  await page.browser.untilDisplayed(() => expect(fills()).toBe(true));
  expect(phone.calls).toEqual([]);
  await page.plays();
});

journey("a device without full screen fills the window, until Escape or the focus leaves (MEDIA-16a)", async (page) => {
  await watch(page);
  await page.press("Full screen");
  await page.browser.untilDisplayed(() => expect(fills()).toBe(true));
  await page.key("Escape");
  await page.browser.untilDisplayed(() => expect(fills()).toBe(false));
  await page.press("Full screen");
  await page.browser.untilDisplayed(() => expect(fills()).toBe(true));
  document.querySelector<HTMLElement>("footer a")?.focus();
  await page.browser.untilDisplayed(() => expect(fills()).toBe(false));
  // F toggles it as well.
  fireEvent.keyDown(document.body, { key: "f" });
  await page.browser.untilDisplayed(() => expect(fills()).toBe(true));
  fireEvent.keyDown(document.body, { key: "f" });
  await page.browser.untilDisplayed(() => expect(fills()).toBe(false));
});

onDevice(
  "a frame that the partner's page doesn't let go full screen has no button for it (MEDIA-16d)",
  async (page, device) => {
    device.define(window, { parent: {} });
    await watch(page);
    expect(page.can("Full screen")).toBe(false);
    fireEvent.keyDown(document.body, { key: "?" });
    await page.sees("Keyboard shortcuts");
    expect(page.within("[role=dialog]").has("Full screen")).toBe(false);
  },
);

onDevice("a phone held upright turns for full screen, where it can (MEDIA-16b)", async (page, device) => {
  const screen = elementScreen(device, false);
  const locks: string[] = [];
  const orientation = {
    lock: async (type: string) => void locks.push(type),
    unlock: () => void locks.push("unlock"),
  };
  device.define(window.screen, { orientation });
  device.define(window, {
    matchMedia: (media: string) => ({
      matches: media.includes("coarse"),
      media,
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }),
  });
  device.define(HTMLVideoElement.prototype, { videoWidth: 1280, videoHeight: 720 });
  await watch(page);
  await page.press("Full screen");
  await page.browser.until(() => expect(locks).toEqual(["landscape"]));
  screen.change(null);
  await page.browser.until(() => expect(locks).toEqual(["landscape", "unlock"]));
});

onDevice(
  "picture in picture by the standard API follows the browser's events (MEDIA-16c, MEDIA-16e)",
  async (page, device) => {
    const state: { video: HTMLVideoElement | null } = { video: null };
    const change = (video: HTMLVideoElement, isOn: boolean) => {
      state.video = isOn ? video : null;
      video.dispatchEvent(new Event(isOn ? "enterpictureinpicture" : "leavepictureinpicture"));
    };
    device.define(document, {
      pictureInPictureEnabled: true,
      exitPictureInPicture: async () => state.video && change(state.video, false),
    });
    device.read(document, "pictureInPictureElement", () => state.video);
    device.define(HTMLVideoElement.prototype, {
      async requestPictureInPicture(this: HTMLVideoElement) {
        change(this, true);
      },
    });
    const video = await watch(page);
    await page.press(PIP);
    expect(state.video).toBe(video);
    await page.press("Exit picture in picture");
    expect(state.video).toBeNull();
    await page.press(PIP);
    // The small window's own button.
    change(video, false);
    await page.browser.untilDisplayed(() => expect(page.can(PIP)).toBe(true));
  },
);

onDevice(
  "picture in picture on an iPhone is a presentation mode of the video (MEDIA-16c, MEDIA-16e)",
  async (page, device) => {
    const phone = iPhone(device);
    const video = await watch(page);
    await page.press(PIP);
    expect(phone.state.mode).toBe("picture-in-picture");
    await page.press("Exit picture in picture");
    expect(phone.state.mode).toBe("inline");
    await page.press(PIP);
    phone.state.mode = "inline";
    video.dispatchEvent(new Event("webkitpresentationmodechanged"));
    await page.browser.untilDisplayed(() => expect(page.can(PIP)).toBe(true));
    // A narrow picture has it in the settings.
    await page.press("Settings");
    expect(page.within(".player__settings").can(PIP)).toBe(true);
  },
);

onDevice("controls that the device doesn't serve are absent, with their keys (MEDIA-16d)", async (page, device) => {
  iPhone(device);
  device.define(HTMLVideoElement.prototype, { webkitSupportsPresentationMode: () => false });
  const video = await watch(page);
  expect(page.can(PIP)).toBe(false);
  await page.browser.untilDisplayed(() => expect(page.all("input[aria-label=Volume]")).toEqual([]));
  expect(page.can("Mute")).toBe(true);
  fireEvent.keyDown(video.closest(".player") ?? video, { key: "?" });
  const list = page.within("[role=dialog]");
  await list.sees("Keyboard shortcuts");
  expect(list.has("Volume up, down")).toBe(false);
  expect(list.has(PIP)).toBe(false);
  expect(list.has("Full screen")).toBe(true);
  // The page scrolls by the arrow.
  expect(fireEvent.keyDown(video.closest(".player") ?? video, { key: "ArrowUp" })).toBe(true);
});

journey("a desktop browser has a volume slider (MEDIA-16)", async (page) => {
  const video = await watch(page);
  await page.pass(100);
  await page.fill("Volume", "0.5");
  expect(video.volume).toBe(0.5);
});
