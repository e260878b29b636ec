// @vitest-environment jsdom
import { cleanup, render } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { Preview } from "./Preview";
import type { VideoCommands } from "./useVideo";

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it("a frame that can't be drawn yet when the seek ends is drawn once it is presented (MEDIA-9)", () => {
  let presented: VideoFrameRequestCallback | undefined;
  HTMLVideoElement.prototype.requestVideoFrameCallback = (callback) => {
    presented = callback;
    return 1;
  };
  HTMLVideoElement.prototype.cancelVideoFrameCallback = () => undefined;
  const drawImage = vi.fn();
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue({ drawImage } as never);
  let video: HTMLVideoElement | undefined;
  const commands = {
    pictures: (element: HTMLVideoElement) => {
      video = element;
      return { show: () => undefined, close: () => undefined };
    },
  } as Partial<VideoCommands> as VideoCommands;
  render(<Preview at={5} share={0.5} text="0:05" name={undefined} commands={commands} />);
  if (!video) throw new Error("no pictures were opened");
  Object.defineProperty(video, "videoWidth", { value: 320 });
  video.dispatchEvent(new Event("seeked"));
  drawImage.mockClear();
  presented?.(0, {} as VideoFrameCallbackMetadata);
  expect(drawImage).toHaveBeenCalledWith(video, 0, 0, 416, 234);
});
