import type { UnknownAction } from "@reduxjs/toolkit";
import type { Api, KeyLoss } from "../api";
import type { Id } from "../contracts/resources";
import type { InputOrigin } from "../eventlog/envelope";
import type { RootState } from "../slices";
import { authActions, selectViewer } from "../slices/auth";
import { clockActions, offsetAfter } from "../slices/clock";
import { connectionInputs } from "../slices/connection";
import { errorScreenActions, throttled } from "../slices/errorScreen";
import { startupActions } from "../slices/startup";
import type { ChannelEvents } from "./client";

type Input = (origin: InputOrigin, action: UnknownAction) => void;

/** The user who counts as logged in. Resetting nobody would reread the page endlessly. */
const viewerOf = (state: RootState | undefined): Id | null => (state === undefined ? null : selectViewer(state));

/** Turns the channel's events into inputs of the store. */
export function channelEventsOf(input: Input, state: () => RootState | undefined): ChannelEvents {
  return {
    throttled: (retry_after_ms) => input("api", throttled({ retry_after_ms })),
    crashed({ message, status, requestId, sparesPage = false }) {
      if (sparesPage && state()?.startup.at === "ready") return;
      input("api", errorScreenActions.raised({ message, status, request_id: requestId }));
    },
    unauthenticated() {
      const viewer = viewerOf(state());
      if (viewer !== null) input("api", authActions.reset({ reason: "unauthenticated", user_id: viewer }));
    },
    apiKeyLost() {
      // ERR-5: an embedding page is notified too.
      document.dispatchEvent(new CustomEvent("api_key_error"));
      input("api", authActions.reset({ reason: "api_key" }));
    },
    answeredFromCache() {
      const at = state()?.startup.at;
      if (at === "loading" || at === "ready") input("api", startupActions.wentStale());
    },
    clockRead(reading) {
      const offset = state()?.clock.offset_ms;
      if (offset === undefined) return;
      const offset_ms = offsetAfter(offset, reading);
      if (offset_ms !== offset) input("api", clockActions.corrected({ offset_ms }));
    },
    statusReceived: (status) => input("sync", connectionInputs.statusReceived(status)),
    pinged: () => input("sync", connectionInputs.pinged({ at: Date.now() })),
    drainAsked: (window_ms) => input("sync", connectionInputs.drainAsked({ window_ms })),
    closed: (code) => input("sync", connectionInputs.closed({ code })),
  };
}

/** Reports a key loss in the service worker to the page, unless somebody logged in since. */
export async function reportKeyLoss(how: KeyLoss, { keys }: Pick<Api, "keys">, events: ChannelEvents): Promise<void> {
  if ((await keys.read()).user_id !== null) return;
  if (how === "api_key") events.apiKeyLost();
  else events.unauthenticated();
}
