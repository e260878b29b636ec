interface PlaybackWire {
  postMessage(message: { readonly t: "playing" }): void;
  onmessage: ((event: { data: unknown }) => void) | null;
}

interface OtherTabs {
  playing(): void;
  onPlaying(listener: () => void): () => void;
}

/** Tells the browser's other tabs when this one plays with sound. */
export function createOtherTabs(wire: PlaybackWire): OtherTabs {
  const listeners = new Set<() => void>();
  wire.onmessage = () => {
    for (const listener of listeners) listener();
  };
  return {
    playing: () => wire.postMessage({ t: "playing" }),
    onPlaying(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
