import type { FavouriteType, Id } from "../contracts/resources";
import { useTexts } from "../i18n/useTexts";
import { selectLoggedIn } from "../slices/auth";
import { favouritesActions, selectFavourites } from "../slices/favourites";
import { useAppDispatch, useAppSelector } from "./state";
import { offerUndo } from "./undo";
import { useRead } from "./useRead";

interface Heart {
  readonly favourite?: { readonly on: boolean; readonly onToggle: () => void };
}

const QUERY = { method: "api.listFavourites", args: {} } as const;

/** The hearts of teams, schools and sports; none for a visitor, whose favourites nobody could keep (FAV). */
export function useFavourites(): (type: FavouriteType, id: Id) => Heart {
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  const loggedIn = useAppSelector(selectLoggedIn);
  useRead(loggedIn ? QUERY : null);
  const favourites = useAppSelector(selectFavourites);
  if (!loggedIn) return () => ({});
  const on = new Set(favourites.map(({ favoritable_type, favoritable_id }) => `${favoritable_type}/${favoritable_id}`));
  return (type, id) => ({
    favourite: {
      on: on.has(`${type}/${id}`),
      onToggle() {
        const toggle = () => dispatch(favouritesActions.toggled({ favoritable_id: id, favoritable_type: type }));
        const heart = document.activeElement as HTMLElement | null;
        const undo = () => {
          toggle();
          heart?.focus({ preventScroll: true });
        };
        offerUndo(on.has(`${type}/${id}`) ? { text: t("general.favouriteRemoved"), undo } : null);
        toggle();
      },
    },
  });
}
