import type { Event, HomeRail } from "../../contracts/resources";
import { type Endpoints, read, readArray, readList, storeDownload } from "./endpoint";

export const events: Endpoints<
  | "api.listEvents"
  | "api.listHomeRails"
  | "api.listFavouriteEvents"
  | "api.listEventsWithClip"
  | "api.getEvent"
  | "api.downloadEvent"
> = {
  "api.listEvents": ({ filter }, call) => readList<Event>(call, "/events", { ...filter }),
  "api.listHomeRails": (_, call) => readArray<HomeRail>(call, "/events-for-homepage"),
  "api.listEventsWithClip": ({ filter }, call) => readList<Event>(call, "/events/with_clip", { ...filter }),
  "api.listFavouriteEvents": ({ filter }, call) => readList<Event>(call, "/events/favorite", { ...filter }),
  "api.getEvent": ({ id }, call) => read<Event>(call, `/events/${id}`),
  "api.downloadEvent": ({ id }, call) => storeDownload(call, `/download-event/${id}`),
};
