import { type ReactNode, useState } from "react";

interface OnceReadyProps {
  readonly ready: boolean;
  readonly fallback: ReactNode;
  readonly children: ReactNode;
}

/**
 * Content that waits for what is above it, which would move it under a finger. Once shown, it stays while data reloads:
 * removing a form would lose what was typed.
 */
export function OnceReady({ ready, fallback, children }: OnceReadyProps) {
  const [wasReady, setWasReady] = useState(ready);
  if (ready && !wasReady) setWasReady(true);
  return ready || wasReady ? children : fallback;
}
