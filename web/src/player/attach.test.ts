// @vitest-environment jsdom
import { expect, it } from "vitest";
import { attach } from "./attach";
import { IDLE_HANDLERS } from "./testing/handlers";

it("a plain file that is tried again twice goes on from where it stood at first", async () => {
  const video = document.createElement("video");
  let time = 100;
  Object.defineProperty(video, "currentTime", {
    get: () => time,
    set: (to: number) => {
      time = to;
    },
  });
  // jsdom's list isn't an event target; most browsers have none.
  Object.defineProperty(video, "audioTracks", { value: undefined });
  // As in the media element load algorithm.
  video.load = () => {
    time = 0;
  };
  const attached = await attach(video, "/clip.mp4", -1, false, IDLE_HANDLERS);
  attached.resume(null);
  attached.resume(null);
  video.dispatchEvent(new Event("loadedmetadata"));
  expect(time).toBe(100);
});
