import type { Favourite, PlaybackPosition } from "../../contracts/resources";
import { type Endpoints, hasField, readArray, send } from "./endpoint";

/** Favourites, which go through the outbox, and playback positions. */
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
