import type { InstallPort } from "../ports/site";

/** Chromium's install prompt event, which the DOM library's types lack. */
type PromptEvent = Event & { prompt(): Promise<unknown> };

/** Suppresses the browser's install bar and stores its prompt for later (PWA-2). */
export function watchInstall(target: Window): InstallPort {
  const listeners = new Set<() => void>();
  // The page stores an event that fired before this code ran.
  let deferredPrompt = (target as Window & { heldInstall?: PromptEvent }).heldInstall ?? null;
  function hold(event: PromptEvent | null): void {
    deferredPrompt = event;
    for (const listener of [...listeners]) listener();
  }
  target.addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    hold(event as PromptEvent);
  });
  target.addEventListener("appinstalled", () => hold(null));
  return {
    installable: () => deferredPrompt !== null,
    install() {
      // A prompt can only be used once.
      deferredPrompt?.prompt().catch(() => undefined);
      hold(null);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
