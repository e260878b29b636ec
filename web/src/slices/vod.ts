import type { Id, VodCategory, VodItem } from "../contracts/resources";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";
import { type Query, queryActions, queryKey } from "./queries";
import { isRemoved } from "./removed";

/** VOD. The library's rails, lists and items. */
export interface VodState {
  readonly byId: { readonly [id: Id]: VodItem };
  readonly rails: readonly { readonly id: Id; readonly title: string; readonly ids: readonly Id[] }[];
  readonly lists: { readonly [key: string]: { readonly ids: readonly Id[]; readonly total: number } };
  readonly categories: readonly VodCategory[];
}

const initialState: VodState = { byId: {}, rails: [], lists: {}, categories: [] };
const MAX_LISTS = 20;

const merge = (byId: VodState["byId"], items: readonly VodItem[]): VodState["byId"] => ({
  ...byId,
  ...Object.fromEntries(items.map((item) => [item.id, item])),
});

export const vod = createSlice({
  name: "vod",
  initialState: initialState as VodState,
  reducers: {},
  extraReducers: (builder) =>
    builder
      // Lists skip ids without a video.
      .addCase(queryActions.failed, (state, { payload: { query, error } }) => {
        if (query.method === "api.getVodItem" && isRemoved(error)) delete state.byId[query.args.id];
      })
      .addCase(queryActions.loaded, (state, { payload }): VodState => {
        const now = state as VodState;
        switch (payload.method) {
          case "api.listVodRails":
            return {
              ...now,
              byId: merge(
                now.byId,
                payload.answer.flatMap((rail) => rail.vod_media_items),
              ),
              rails: payload.answer.map(({ id, title, vod_media_items }) => ({
                id,
                title,
                ids: vod_media_items.map((item) => item.id),
              })),
            };
          case "api.listVodItems":
          case "api.searchVod": {
            const { data, meta } = payload.answer;
            const lists = Object.entries({
              ...now.lists,
              [queryKey(payload as Query)]: { ids: data.map(({ id }) => id), total: meta.total },
            }).slice(-MAX_LISTS);
            return { ...now, byId: merge(now.byId, data), lists: Object.fromEntries(lists) };
          }
          case "api.getVodItem":
            return { ...now, byId: merge(now.byId, [payload.answer]) };
          case "api.listVodCategories":
            return { ...now, categories: payload.answer };
          default:
            return now;
        }
      }),
});

export const selectVodItem =
  (id: Id) =>
  ({ vod: { byId } }: RootState): VodItem | null =>
    byId[id] ?? null;
export const selectVodById = ({ vod: { byId } }: RootState) => byId;
export const selectVodRails = ({ vod: { rails } }: RootState) => rails;
export const selectVodCategories = ({ vod: { categories } }: RootState) => categories;
export const selectVodList =
  (query: Query) =>
  ({ vod: { lists } }: RootState) =>
    lists[queryKey(query)] ?? null;
