import type { UnknownAction } from "@reduxjs/toolkit";
import type { KeyLoss } from "../api";
import type { InputOrigin } from "../eventlog/envelope";
import { serviceWorkers } from "../session/browserFeatures";
import { type AnalyticsDevice, analyticsActions } from "../slices/analytics";
import { connectionInputs } from "../slices/connection";
import { outboxInputs } from "../slices/outbox";
import { playerActions } from "../slices/player";

export interface InputDeps {
  /** Whether analytics may leave this page. */
  sendsAnalytics: boolean;
  input(origin: InputOrigin, action: UnknownAction): void;
  /** Collects the results of the service worker's outbox run. */
  collect(): Promise<void>;
  /** The signed-in viewer's key may have been lost. */
  keyLost(how: KeyLoss): Promise<void>;
  /** Stores the state, since the page may not come back. */
  write(): Promise<void>;
  /** Sends recorded analytics. */
  sendRecorded(): void;
  /** The page is being hidden or frozen. */
  leave(): void;
  /** The page is back. */
  comeBack(): void;
  visibilityChanged(): void;
  report(error: unknown): void;
}

const DEVICES = [
  ["tablet", /ipad|tablet|android(?!.*mobile)/i],
  ["mobile", /mobi|iphone|android/i],
] as const;

/** Describes the device for a new analytics session. */
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

/** Forwards page lifecycle events from the browser to the store. */
export function listenToBrowser(parts: InputDeps): void {
  const { sendsAnalytics, input, collect, keyLost, write, sendRecorded, leave, comeBack, visibilityChanged, report } =
    parts;
  input("ui", analyticsActions.deviceKnown(describeDevice(sendsAnalytics)));

  window.addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    comeBack();
    input("ui", connectionInputs.cameBack());
    // A hidden page doesn't learn what happened to its key.
    keyLost("unauthenticated").catch(report);
  });
  window.addEventListener("pagehide", () => {
    input("ui", playerActions.pageLeft());
    // Releases the lock first: the service worker requests it as soon as it is notified.
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
    // Phones often never resume a hidden page.
    input("ui", playerActions.pageLeft());
    sendRecorded();
    write().catch(report);
  });
  serviceWorkers()?.addEventListener("message", ({ data }) => {
    const { type, how } = (data ?? {}) as { type?: unknown; how?: unknown };
    if (type === "outbox-drained") collect().catch(report);
    if (type === "key-lost") keyLost(how === "api_key" ? "api_key" : "unauthenticated").catch(report);
  });
}
