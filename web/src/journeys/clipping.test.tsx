// @vitest-environment jsdom
import { act, cleanup, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { aBootstrap, aClip, anEvent } from "../sagas/testing/resources";
import type { Script } from "../sagas/testing/world";
import { clipActions, DRAFT } from "../slices/clip";
import { connectionInputs } from "../slices/connection";
import { outboxInputs } from "../slices/outbox";
import { click, fill, loggedIn, says, until } from "./testing/calls";
import { showPage, type TestPage } from "./testing/page";

// A clip as its viewer makes it: beside the video, and on the page of their clips.

vi.mock("../player/attach", () => ({ attach: () => new Promise(() => undefined) }));

const recording = anEvent({
  stream_status: "finished",
  has_access: true,
  access_type: "free",
  media: [{ id: 900, type: 3, url: "/s/100.m3u8", duration_s: 40, is_clippable: true }] as never,
});

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

describe("the clip form", () => {
  const seen: Element[] = [];
  beforeEach(() => {
    seen.length = 0;
    Element.prototype.scrollIntoView = function scrollIntoView() {
      seen.push(this);
    };
    vi.spyOn(HTMLMediaElement.prototype, "play").mockImplementation(async () => undefined);
    // jsdom has an array here, which sends no events.
    const none = Object.assign(new EventTarget(), { [Symbol.iterator]: [][Symbol.iterator] });
    vi.spyOn(HTMLMediaElement.prototype, "textTracks", "get").mockReturnValue(none as never);
  });

  const focused = () => document.activeElement?.textContent;

  async function open(script: Script = {}): Promise<TestPage> {
    const page = await showPage("/watch/100", {
      "api.getBootstrap": () => aBootstrap(),
      ...loggedIn,
      "api.getEvent": () => recording,
      ...script,
    });
    await until(page, () => click("Watch"));
    await until(page, () => click("Clip"));
    await until(page, () => says("Create a clip"));
    return page;
  }

  const make = (name: string) => {
    fill("Name", name);
    click("Three-pointer");
    click("Create clip");
  };
  const answer = (page: TestPage, outcome: object) => {
    const id = page.world.calls("outbox.put").at(-1)?.item.id;
    act(() => page.world.input("storage", outboxInputs.itemAnswered({ id, kind: "clip.create", outcome } as never)));
  };

  it("scrolls into view with the focus, each time it is opened", async () => {
    const page = await open();
    expect(focused()).toBe("Create a clip");
    expect(seen).toEqual([document.activeElement?.closest("section")]);
    fill("Name", "Dunk");
    screen.getByLabelText("Name").focus();
    click("Clip");
    await page.pass();
    expect(focused()).toBe("Create a clip");
    expect(seen).toHaveLength(2);
    expect(screen.getByLabelText<HTMLInputElement>("Name").value).toBe("Dunk");
  });

  it("opens after leaving full screen, where it would be hidden", async () => {
    const page = await open();
    click("Close");
    let leave = (): void => undefined;
    Object.defineProperty(document, "fullscreenElement", { value: document.body, configurable: true });
    document.exitFullscreen = () =>
      new Promise((left) => {
        leave = left;
      });
    click("Clip");
    await page.pass();
    expect(screen.queryByText("Create a clip")).toBeNull();
    leave();
    await until(page, () => says("Create a clip"));
    expect(focused()).toBe("Create a clip");
    Reflect.deleteProperty(document, "fullscreenElement");
  });

  it("returns the focus to its button when it is closed", async () => {
    await open();
    click("Close");
    expect(focused()).toBe("Clip");
  });

  it("moves the focus to the first invalid field", async () => {
    await open();
    click("Create clip");
    expect(document.activeElement).toBe(screen.getByLabelText("Name"));
    fill("Name", "Dunk");
    click("Create clip");
    expect(focused()).toBe("Highlight");
  });

  it("stays in place for a double click, and makes one clip (CLIP-1)", async () => {
    const page = await open();
    make("Dunk");
    await page.pass();
    click("Create clip");
    await until(page, () => says("Your clip is on its way"));
    expect(page.world.calls("outbox.put")).toHaveLength(1);
    expect(focused()).toBe("Your clip is on its way");
    // A failed call is retried: the page promises nothing before the channel accepted the clip (CLIP-2).
    says(/: We’re sending it. You don’t need to do anything.$/);
    expect(screen.queryByText(/Ready within/)).toBeNull();
    answer(page, { outcome: "done", answer: aClip({ status: "queued", version: 1 }) });
    says(/: Ready within 5 minutes. Find it under Clips in your profile.$/);
    const ready = aClip({ status: "ready", version: 2 });
    act(() =>
      page.world.input(
        "sync",
        connectionInputs.statusReceived({
          stream: "user",
          seq: 2,
          kind: "clip",
          id: ready.id,
          version: 2,
          state: ready,
        }),
      ),
    );
    says("Your clip is ready");
    click("Close");
    expect(focused()).toBe("Clip");
  });

  it("no longer says that the clip is on its way after a refusal", async () => {
    const page = await open();
    make("Dunk");
    await until(page, () => says("Your clip is on its way"));
    answer(page, { outcome: "dead", code: "too_many_clips", message: "You have too many clips." });
    says("Your clip wasn’t created");
    says(/: You have too many clips.$/);
    expect(screen.queryByText(/Ready within/)).toBeNull();
    click("Clip");
    expect(focused()).toBe("Create a clip");
  });

  it("says offline that the clip will be sent later (CLIP-2)", async () => {
    const page = await open();
    act(() => page.world.input("sync", connectionInputs.wentOffline()));
    says("We’ll send it when you’re back online.");
    make("Dunk");
    await until(page, () => says("Your clip is on its way"));
    says(/: We’ll send it when you’re back online.$/);
    expect(screen.queryByText(/Ready within/)).toBeNull();
  });
});

describe("the clips page", () => {
  const clips = [
    aClip({ id: 70, status: "ready", tags: ["threePointer", "dunk"] }),
    aClip({ id: 71, status: "ready", name: "Steal" }),
    aClip({ id: 72, status: "failed", name: "Lost" }),
  ];
  const open = () =>
    showPage("/profile/clips", {
      "api.getBootstrap": () => aBootstrap(),
      ...loggedIn,
      "api.listUserClips": () => clips,
      "api.deleteClip": () => null,
    });

  it("counts the stored clips", async () => {
    const page = await open();
    await until(page, () => says(/^2 clips saved. 0 downloads used.$/));
    click("Delete clip Steal");
    click("Delete");
    await until(page, () => says(/^1 clip saved. 0 downloads used.$/));
  });

  it("translates tags, and shows unknown ones unchanged", async () => {
    const page = await open();
    await until(page, () => says("Three-pointer, dunk"));
  });

  it("says of a clip waiting for a network that it will be sent later (CLIP-2)", async () => {
    const page = await open();
    await until(page, () => says("Three-pointer, dunk"));
    const request = { event_id: 100, name: "Save", start_time: 1, duration: 5, tags: ["save"], event_media_id: 900 };
    act(() => page.world.input("sync", connectionInputs.wentOffline()));
    act(() => page.world.ui(clipActions.submitPressed({ key: DRAFT, request, media_duration: null })));
    await until(page, () => says(/We’ll send it when you’re back online.$/));
  });
});
