import { createContext } from "react";
import type { Id } from "../contracts/resources";

/** Something protected that is watched: a medium of an event, or a video of the library. */
export type Protected =
  | { readonly kind: "event"; readonly id: Id; readonly media_id: Id }
  | { readonly kind: "vod"; readonly id: Id };

/** An address that plays for whoever holds it: it never enters an action, the state or a log (LOG-2, MEDIA-4). */
export interface MediaAddress {
  readonly url: string;
  /** Until when it works, milliseconds since 1970; null where it does not end. */
  readonly expires: number | null;
}

/** Where the player gets addresses of what is protected. */
export interface MediaPort {
  /** A new address. Rejects with a `PortError` where the viewer may not watch. */
  address(wanted: Protected): Promise<MediaAddress>;
}

/** Where the player finds the port; the app provides it. */
export const MediaContext = createContext<MediaPort | null>(null);
