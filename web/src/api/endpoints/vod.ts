import type { VodCategory, VodItem, VodRail } from "../../contracts/resources";
import { type Endpoints, read, readArray, readList } from "./endpoint";

export const vod: Endpoints<
  "api.listVodRails" | "api.listVodItems" | "api.getVodItem" | "api.listVodCategories" | "api.searchVod"
> = {
  "api.listVodRails": (_, call) => readArray<VodRail>(call, "/vod-media-rails"),
  "api.listVodItems": (query, call) => readList<VodItem>(call, "/vod-media-items", query),
  "api.getVodItem": ({ id }, call) => read<VodItem>(call, `/vod-media-items/${id}`),
  "api.listVodCategories": (_, call) => readArray<VodCategory>(call, "/vod-media-categories"),
  "api.searchVod": (query, call) => readList<VodItem>(call, "/vod-media/search", query),
};
