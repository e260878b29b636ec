import { useLocation, useNavigate } from "react-router";
import type { FavouriteType, Id } from "../contracts/resources";
import { useTexts } from "../i18n/useTexts";
import { linkTo } from "../navigation";
import { selectLoggedIn } from "../slices/auth";
import { favouritesActions, selectFavourites } from "../slices/favourites";
import { toastActions } from "../slices/toast";
import { useAppDispatch, useAppSelector } from "./state";
import { offerUndo } from "./undo";
import { useRead } from "./useRead";

interface Heart {
  readonly favourite: { readonly on: boolean; readonly onToggle: () => void };
}

const QUERY = { method: "api.listFavourites", args: {} } as const;

/** Favourite buttons of teams, schools and sports. A visitor's leads to the login and back (FAV-4). */
export function useFavourites(): (type: FavouriteType, id: Id) => Heart {
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  const loggedIn = useAppSelector(selectLoggedIn);
  useRead(loggedIn ? QUERY : null);
  const favourites = useAppSelector(selectFavourites);
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  if (!loggedIn) {
    const onToggle = () => {
      dispatch(toastActions.wanted({ text: t("general.favouriteLogin") }));
      navigate(linkTo("login"), { state: { from: pathname + search } });
    };
    return () => ({ favourite: { on: false, onToggle } });
  }
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
