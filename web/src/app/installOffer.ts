import type { InstallPort } from "../ports/site";

/** What Chromium tells a page that it could be installed with; it is not in the DOM library's types. */
type PromptEvent = Event & { prompt(): Promise<unknown> };

/** Keeps the browser's own bar away, and its prompt for when the site finds that it is useful (PWA-2). */
export function watchInstall(target: Window): InstallPort {
  const listeners = new Set<() => void>();
  // The page itself holds what came before this code ran.
  let held = (target as Window & { heldInstall?: PromptEvent }).heldInstall ?? null;
  function hold(event: PromptEvent | null): void {
    held = event;
    for (const listener of [...listeners]) listener();
  }
  target.addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    hold(event as PromptEvent);
  });
  target.addEventListener("appinstalled", () => hold(null));
  return {
    installable: () => held !== null,
    install() {
      // It works once.
      held?.prompt().catch(() => undefined);
      hold(null);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
