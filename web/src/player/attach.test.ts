// @vitest-environment jsdom
import { expect, it } from "vitest";
import { attach } from "./attach";

it("a plain file that is tried again twice goes on from where it stood at first", async () => {
  const video = document.createElement("video");
  let time = 100;
  Object.defineProperty(video, "currentTime", {
    get: () => time,
    set: (to: number) => {
      time = to;
    },
  });
  // jsdom's list is no event target; most browsers have none.
  Object.defineProperty(video, "audioTracks", { value: undefined });
  // As in the media element load algorithm.
  video.load = () => {
    time = 0;
  };
  const none = () => undefined;
  const attached = await attach(video, "/clip.mp4", -1, false, {
    onFault: none,
    onLoaded: none,
    onJumped: none,
    onRestart: none,
    dressed: (playlist) => playlist,
    onQualities: none,
    onQuality: none,
    onAudioTracks: () => -1,
  });
  attached.resume(null);
  attached.resume(null);
  video.dispatchEvent(new Event("loadedmetadata"));
  expect(time).toBe(100);
});
