/** Where the replayer's page lives, and the frame in it that shows the site's screens. */
export const SIMULATE_PATH = "/simulate";
const FRAME_HASH = "#replay-frame";

/** The address of the frame. */
export const FRAME_ADDRESS = `${SIMULATE_PATH}${FRAME_HASH}`;

/** Whether this page is that frame: it must open no session of the visitor's. */
export const isReplayFrame = ({ location, parent, self }: Window & typeof globalThis): boolean =>
  parent !== self && location.pathname === SIMULATE_PATH && location.hash === FRAME_HASH;

/** What the frame tells the page: it can be shown something. */
export const FRAME_READY = "touchline-replay-ready";

/** What the page tells the frame: the state to show, the moment it stands at and the language it was seen in. */
export interface ShowMessage {
  readonly type: "touchline-replay-show";
  readonly state: object;
  /** Unix milliseconds. */
  readonly at: number;
  readonly locale: string;
}

export const isShowMessage = (data: unknown): data is ShowMessage =>
  typeof data === "object" && data !== null && (data as { type?: unknown }).type === "touchline-replay-show";
