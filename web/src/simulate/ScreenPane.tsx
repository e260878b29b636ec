import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Line } from "../eventlog/envelope";
import { frameSize } from "./frameSize";
import { FRAME_ADDRESS, FRAME_READY, type ShowMessage } from "./paths";
import { lineNumber, type Recording, stateAt } from "./recording";

interface ScreenPaneProps {
  readonly recording: Recording;
  readonly position: number;
  readonly line: Line | undefined;
}

/**
 * Gives a frame its recorded size, scaled to the width of its box. The policy forbids inline styles, so they are set
 * through the CSSOM.
 */
function useScale(width: number, height: number) {
  const box = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  useLayoutEffect(() => {
    const [outer, inner] = [box.current, frame.current];
    if (!outer || !inner) return;
    inner.style.width = `${width}px`;
    inner.style.height = `${height}px`;
    const fit = (): void => {
      const scale = Math.min(1, outer.clientWidth / width);
      inner.style.transform = `scale(${scale})`;
      outer.style.height = `${Math.round(height * scale)}px`;
    };
    fit();
    const observer = new ResizeObserver(fit);
    observer.observe(outer);
    return () => observer.disconnect();
  }, [width, height]);
  return { box, frame };
}

/** The site's screens for the replayed state, in a window of the viewer's size. */
export function ScreenPane({ recording, position, line }: ScreenPaneProps) {
  const [width, height] = frameSize(recording.log.header.window);
  const { box, frame } = useScale(width, height);
  const [isReady, setReady] = useState(false);
  const { header } = recording.log;
  const at = line?.at ?? header.started_at;
  const state = stateAt(recording, position);

  useEffect(() => {
    const onMessage = ({ data, source, origin }: MessageEvent): void => {
      if (data === FRAME_READY && source === frame.current?.contentWindow && origin === window.location.origin)
        setReady(true);
    };
    window.addEventListener("message", onMessage);
    return () => window.removeEventListener("message", onMessage);
  }, [frame]);

  useEffect(() => {
    if (!isReady) return;
    const message: ShowMessage = { type: "touchline-replay-show", state, at, locale: header.locale };
    frame.current?.contentWindow?.postMessage(message, window.location.origin);
  }, [frame, isReady, state, at, header.locale]);

  return (
    <section className="replay__pane replay__pane--screen" id="replay-screen" aria-labelledby="replay-screen-title">
      <h2 className="replay__heading" id="replay-screen-title">
        Screen at line {lineNumber(position)} <span>{state.navigation.current?.path ?? "/"}</span>
      </h2>
      <div className="replay__window" ref={box}>
        <iframe
          ref={frame}
          src={FRAME_ADDRESS}
          title={`The site's screen at line ${lineNumber(position)}`}
          tabIndex={-1}
        />
      </div>
    </section>
  );
}
