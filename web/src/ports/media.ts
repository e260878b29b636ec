import { createContext } from "react";
import type { Id } from "../contracts/resources";

/** A protected medium of an event, or a library video. */
export type Protected =
  | { readonly kind: "event"; readonly id: Id; readonly media_id: Id }
  | { readonly kind: "vod"; readonly id: Id };

/** An address that plays for anyone who has it; it never enters an action, the state or a log (LOG-2, MEDIA-4). */
export interface MediaAddress {
  readonly url: string;
  /** Expiry in Unix milliseconds; null if it doesn't expire. */
  readonly expires: number | null;
}

/** Addresses of protected media for the player. */
export interface MediaPort {
  /** A new address. Rejects with a `PortError` if the viewer may not watch. */
  address(wanted: Protected): Promise<MediaAddress>;
}

/** Provided by the app. */
export const MediaContext = createContext<MediaPort | null>(null);
