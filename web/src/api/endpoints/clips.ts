import type { Clip } from "../../contracts/resources";
import { type Endpoints, read, readArray, send, storeDownload } from "./endpoint";

/** Creating clips goes through the outbox. */
export const clips: Endpoints<
  | "api.listEventClips"
  | "api.listVodClips"
  | "api.listUserClips"
  | "api.getSharedClip"
  | "api.downloadClip"
  | "api.deleteClip"
> = {
  "api.listEventClips": ({ event_id }, call) => readArray<Clip>(call, `/clips/event/${event_id}`),
  "api.listVodClips": ({ vod_id }, call) => readArray<Clip>(call, `/clips/vod/${vod_id}`),
  "api.listUserClips": (_, call) => readArray<Clip>(call, "/clips/user"),
  "api.getSharedClip": ({ id, uuid }, call) => read<Clip>(call, `/shared-clip/${id}`, { query: { uuid } }),
  "api.downloadClip": ({ id }, call) => storeDownload(call, `/clip/download/${id}`),
  async "api.deleteClip"({ id }, call) {
    await send(call, { method: "DELETE", path: `/clip/${id}` });
    return null;
  },
};
