import { type CSSProperties, useEffect, useRef, useState } from "react";
import type { Pictures } from "./pictures";
import type { VideoCommands } from "./useVideo";
import "./Preview.css";

interface PreviewProps {
  /** The second it shows. */
  readonly at: number;
  /** Its position on the seek bar, 0 to 1. */
  readonly share: number;
  /** Its time as text. */
  readonly text: string;
  /** The chapter at that time. */
  readonly name: string | undefined;
  readonly commands: VideoCommands;
}

/** A pointer that moves again within this time requests no picture, in milliseconds. */
const STILL = 60;
/** Width in pixels: twice the displayed width, for high-density screens. */
const WIDTH = 416;
const HEIGHT = 234;

/** The picture and time at the pointer, above the seek bar. A stream without key frames shows only the time. */
export function Preview({ at, share, text, name, commands }: PreviewProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const pictures = useRef<Pictures | null>(null);
  const [has, setHas] = useState(true);
  const open = useRef(commands.pictures);

  useEffect(() => {
    // Never played: the frame it is paused at is shown.
    const video = document.createElement("video");
    video.muted = true;
    video.playsInline = true;
    const draw = () => {
      const context = canvas.current?.getContext("2d");
      if (video.videoWidth > 0) context?.drawImage(video, 0, 0, WIDTH, HEIGHT);
    };
    // The events can come before the frame can be drawn.
    const onFrame = () => {
      draw();
      frame = video.requestVideoFrameCallback?.(onFrame);
    };
    let frame = video.requestVideoFrameCallback?.(onFrame);
    const frameEvents = ["seeked", "loadeddata"] as const;
    for (const event of frameEvents) video.addEventListener(event, draw);
    const opened = open.current(video);
    pictures.current = opened;
    // oxlint-disable-next-line react/set-state-in-effect -- Only the stream knows, and it is asked once.
    if (opened === null) setHas(false);
    return () => {
      pictures.current = null;
      if (frame !== undefined) video.cancelVideoFrameCallback(frame);
      for (const event of frameEvents) video.removeEventListener(event, draw);
      opened?.close();
    };
  }, []);

  useEffect(() => {
    const timer = setTimeout(() => pictures.current?.show(at), STILL);
    return () => clearTimeout(timer);
  }, [at]);

  return (
    <div className="player__preview" style={{ "--share": share } as CSSProperties} aria-hidden="true">
      {has && <canvas ref={canvas} className="player__picture" width={WIDTH} height={HEIGHT} />}
      <p>
        {name !== undefined && <b>{name}</b>}
        <span className="figures">{text}</span>
      </p>
    </div>
  );
}
