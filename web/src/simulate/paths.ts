/** Paths of the replayer's page and of its frame with the site's screens. */
const SIMULATE_PATH = "/simulate";
const FRAME_HASH = "#replay-frame";

export const FRAME_ADDRESS = `${SIMULATE_PATH}${FRAME_HASH}`;

/** Whether this page is that frame, which must not open a session. */
export const isReplayFrame = ({ location, parent, self }: Window & typeof globalThis): boolean =>
  parent !== self && location.pathname === SIMULATE_PATH && location.hash === FRAME_HASH;

/** Message from the frame to the page: ready to render. */
export const FRAME_READY = "touchline-replay-ready";

/** Message from the page to the frame: the state to render, its time and its language. */
export interface ShowMessage {
  readonly type: "touchline-replay-show";
  readonly state: object;
  /** Unix milliseconds. */
  readonly at: number;
  readonly locale: string;
}

export const isShowMessage = (data: unknown): data is ShowMessage =>
  typeof data === "object" && data !== null && (data as { type?: unknown }).type === "touchline-replay-show";
