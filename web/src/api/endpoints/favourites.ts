import type { Favourite, PlaybackPosition } from "../../contracts/resources";
import { type Endpoints, hasField, readArray, send } from "./endpoint";

/** What the viewer marked, which goes through the outbox, and where they stand in what they watch. */
export const favourites: Endpoints<"api.listFavourites" | "api.listPlayback" | "api.savePlayback"> = {
  "api.listFavourites": (_, call) => readArray<Favourite>(call, "/favorites"),
  "api.listPlayback": (_, call) => readArray<PlaybackPosition>(call, "/playback"),
  async "api.savePlayback"(position, call) {
    const request = {
      method: "POST",
      path: "/playback",
      body: { ...position },
      fits: hasField("at", "number"),
    } as const;
    return (await send(call, request)).data as PlaybackPosition;
  },
};
