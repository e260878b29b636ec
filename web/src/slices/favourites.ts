import { createSelector, type PayloadAction } from "@reduxjs/toolkit";
import type { Favourite, FavouriteType, Id } from "../contracts/resources";
import { authActions } from "./auth";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";
import { outboxActions, selectViewerItems } from "./outbox";
import { queryActions } from "./queries";

export interface Favoured {
  readonly favoritable_id: Id;
  readonly favoritable_type: FavouriteType;
}

/** FAV. The worker's favourites; waiting outbox items are applied on reading. */
export interface FavouritesState {
  readonly known: readonly Favourite[];
  /** Time when the list behind `known` was requested, in Unix milliseconds. */
  readonly asOf: number;
  /** Times of the latest changes since, by subject, in Unix milliseconds. */
  readonly changes: { readonly [subject: string]: number };
}

const initialState: FavouritesState = { known: [], asOf: 0, changes: {} };

const subject = ({ favoritable_type, favoritable_id }: Favoured): string => `${favoritable_type}/${favoritable_id}`;

const same = (a: Favoured, b: Favoured): boolean =>
  a.favoritable_id === b.favoritable_id && a.favoritable_type === b.favoritable_type;

/** With an id only that one is removed: a favourite added again has another id. */
const remove = (state: FavouritesState, removed: Favoured & { readonly id?: Id | null }): FavouritesState => ({
  ...state,
  known: state.known.filter((other) => !same(other, removed) || (removed.id ?? other.id) !== other.id),
});
const add = (state: FavouritesState, favourite: Favourite): FavouritesState => ({
  ...state,
  known: [...state.known.filter((other) => !same(other, favourite)), favourite],
});

export const favourites = createSlice({
  name: "favourites",
  initialState: initialState as FavouritesState,
  reducers: {
    /** The viewer pressed the heart; the type is checked before any request. */
    toggled: (state, _: PayloadAction<{ favoritable_id: Id; favoritable_type: string }>) => state,
    refused: (state, _: PayloadAction<{ message: string }>) => state,
  },
  extraReducers: (builder) =>
    builder
      .addCase(authActions.loggedOut, () => initialState)
      .addCase(authActions.reset, () => initialState)
      .addCase(outboxActions.itemAnswered, (state, { payload: { kind, payload, at, outcome } }): FavouritesState => {
        const now = state as FavouritesState;
        if (outcome.outcome !== "done" || kind === "clip.create") return now;
        const next = kind === "favourite.add" ? add(now, outcome.answer as unknown as Favourite) : remove(now, payload);
        return at === undefined ? next : { ...next, changes: { ...now.changes, [subject(payload)]: at } };
      })
      .addCase(
        queryActions.loaded,
        (state, { payload }): FavouritesState =>
          payload.method === "api.listFavourites"
            ? { known: payload.answer, asOf: payload.asked_at, changes: {} }
            : (state as FavouritesState),
      ),
});

export const favouritesActions = favourites.actions;

/** Whether a change reported by another tab, or repeated, is older than the current state. */
export function isOldChange({ favourites: { asOf, changes } }: RootState, action: { readonly type: string }): boolean {
  if (!outboxActions.itemAnswered.match(action)) return false;
  const { kind, payload, at } = action.payload;
  return kind !== "clip.create" && at !== undefined && at < Math.max(asOf, changes[subject(payload)] ?? 0);
}

/** Favourites as the viewer sees them: with their waiting changes and without failed ones. */
export const selectFavourites = createSelector(
  [({ favourites: { known } }: RootState) => known, selectViewerItems],
  (known, items): readonly Favoured[] => {
    let visible: Favoured[] = known.map(({ favoritable_id, favoritable_type }) => ({
      favoritable_id,
      favoritable_type,
    }));
    for (const item of items) {
      if (item.state.at === "dead") continue;
      if (item.kind !== "favourite.add" && item.kind !== "favourite.remove") continue;
      const { favoritable_id, favoritable_type } = item.payload;
      const favoured = { favoritable_id, favoritable_type };
      visible = visible.filter((other) => !same(other, favoured));
      if (item.kind === "favourite.add") visible.push(favoured);
    }
    return visible;
  },
);

export const selectIsFavourite =
  (favoured: Favoured) =>
  (state: RootState): boolean =>
    selectFavourites(state).some((other) => same(other, favoured));
