import type { UnknownAction } from "@reduxjs/toolkit";
import type { KeyLoss } from "../api";
import type { InputOrigin } from "../eventlog/envelope";
import { type AnalyticsDevice, analyticsActions } from "../slices/analytics";
import { connectionInputs } from "../slices/connection";
import { outboxInputs } from "../slices/outbox";
import { playerActions } from "../slices/player";

export interface InputParts {
  /** Whether what is recorded of this page may leave the browser. */
  sendsAnalytics: boolean;
  input(origin: InputOrigin, action: UnknownAction): void;
  /** Hears what the service worker's draining came to. */
  collect(): Promise<void>;
  /** Hears that the key of whoever is logged in may be gone. */
  keyLost(how: KeyLoss): Promise<void>;
  /** Stores the state: the page may not come back. */
  write(): Promise<void>;
  /** Sends off what the page recorded of its use. */
  sendRecorded(): void;
  /** The page goes away, or is frozen. */
  leave(): void;
  /** It is back. */
  comeBack(): void;
  visibilityChanged(): void;
  report(error: unknown): void;
}

const DEVICES = [
  ["tablet", /ipad|tablet|android(?!.*mobile)/i],
  ["mobile", /mobi|iphone|android/i],
] as const;

/** What a session of analytics is opened with. */
export function describeDevice(sendsAnalytics: boolean): AnalyticsDevice {
  const { userAgent, doNotTrack } = navigator;
  const { globalPrivacyControl } = navigator as Navigator & { globalPrivacyControl?: boolean };
  const [device_type = "desktop"] = DEVICES.find(([, pattern]) => pattern.test(userAgent)) ?? [];
  return {
    device_type,
    user_agent: userAgent,
    resolution: `${screen.width}x${screen.height}`,
    origin_url: window.location.origin,
    do_not_track: doNotTrack === "1" || globalPrivacyControl === true,
    ...(!sendsAnalytics && { kept_here: true as const }),
  };
}

/** Tells the store what the browser says of the network and of the page. */
export function listenToBrowser(parts: InputParts): void {
  const { sendsAnalytics, input, collect, keyLost, write, sendRecorded, leave, comeBack, visibilityChanged, report } =
    parts;
  input("ui", analyticsActions.deviceKnown(describeDevice(sendsAnalytics)));
  if (!navigator.onLine) input("ui", connectionInputs.wentOffline());

  window.addEventListener("offline", () => input("ui", connectionInputs.wentOffline()));
  window.addEventListener("online", () => {
    input("ui", connectionInputs.cameOnline());
    input("ui", outboxInputs.nudged());
  });
  window.addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    comeBack();
    input("ui", connectionInputs.cameBack());
    // Nobody tells a page that is not shown what became of its key.
    keyLost("unauthenticated").catch(report);
  });
  window.addEventListener("pagehide", () => {
    input("ui", playerActions.pageLeft());
    // The lock first: the service worker asks for it as soon as it is told.
    leave();
    sendRecorded();
  });
  document.addEventListener("freeze", leave);
  document.addEventListener("resume", comeBack);
  document.addEventListener("visibilitychange", () => {
    visibilityChanged();
    if (document.visibilityState === "visible") {
      input("ui", connectionInputs.cameBack());
      input("ui", outboxInputs.nudged());
      input("ui", outboxInputs.analyticsNudged());
      return;
    }
    // On a phone a hidden page is often never heard of again.
    input("ui", playerActions.pageLeft());
    sendRecorded();
    write().catch(report);
  });
  navigator.serviceWorker?.addEventListener("message", ({ data }) => {
    const { type, how } = (data ?? {}) as { type?: unknown; how?: unknown };
    if (type === "outbox-drained") collect().catch(report);
    if (type === "key-lost") keyLost(how === "api_key" ? "api_key" : "unauthenticated").catch(report);
  });
}
