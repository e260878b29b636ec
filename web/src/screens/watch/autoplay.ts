/** Router state of a link whose video should start playing: the viewer has already pressed play. */
export const AUTOPLAY = { begins: true } as const;

/** Whether a history entry has that state. */
export const isAutoplay = (state: unknown): boolean =>
  typeof state === "object" && state !== null && "begins" in state && state.begins === true;
