/** What an address comes with when its video is to begin by itself: the viewer has asked for it already. */
export const BEGINS = { begins: true } as const;

/** Whether a place of the history asks for that. */
export const beginsBy = (state: unknown): boolean =>
  typeof state === "object" && state !== null && "begins" in state && state.begins === true;
