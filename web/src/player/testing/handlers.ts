import type { AttachHandlers } from "../attach";

const none = (): void => undefined;

/** Handlers of a stream that ignore everything. */
export const IDLE_HANDLERS: AttachHandlers = {
  onFault: none,
  onLoaded: none,
  onJumped: none,
  onRestart: none,
  dressed: (playlist) => playlist,
  onQualities: none,
  onQuality: none,
  onAudioTracks: () => -1,
};
