import { useEffect, useRef, useState } from "react";
import type { Line } from "../eventlog/envelope";
import { FRAME_ADDRESS, FRAME_READY, type ShowMessage } from "./paths";
import { lineNumber, type Recording, stateAt } from "./recording";

interface ScreenPaneProps {
  readonly recording: Recording;
  readonly position: number;
  readonly line: Line | undefined;
}

/** The site's screens at a phone's width, for the replayed state. */
export function ScreenPane({ recording, position, line }: ScreenPaneProps) {
  const frame = useRef<HTMLIFrameElement>(null);
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
  }, []);

  useEffect(() => {
    if (!isReady) return;
    const message: ShowMessage = { type: "touchline-replay-show", state, at, locale: header.locale };
    frame.current?.contentWindow?.postMessage(message, window.location.origin);
  }, [isReady, state, at, header.locale]);

  return (
    <section className="replay__pane replay__pane--screen" id="replay-screen" aria-labelledby="replay-screen-title">
      <h2 className="replay__heading" id="replay-screen-title">
        Screen at line {lineNumber(position)} <span>{state.navigation.current?.path ?? "/"}</span>
      </h2>
      <div className="replay__phone">
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
