import { put, type SagaGenerator, select, takeEvery } from "typed-redux-saga";
import type { FavouriteType } from "../contracts/resources";
import { newId } from "../ports/world";
import { selectLoggedIn } from "../slices/auth";
import { type Favoured, favouritesActions, selectIsFavourite } from "../slices/favourites";
import { toastActions } from "../slices/toast";
import { enqueue } from "./outbox";

/** FAV-1: each type and its alias. */
const TYPES: Readonly<Record<string, FavouriteType>> = {
  participant: "participant",
  group: "group",
  participant_group: "group",
  category: "category",
  event_category: "category",
};

const NOT_ALLOWED = "The favoritable_type field must be equal to one of the allowed values";

/** FAV-1, FAV-2: displayed at once, sent when possible, reverted if the worker refuses. */
export function* favouritesSaga(): SagaGenerator<void> {
  yield* takeEvery(favouritesActions.toggled, function* ({ payload: { favoritable_id, favoritable_type } }) {
    const type = Object.hasOwn(TYPES, favoritable_type) ? TYPES[favoritable_type] : undefined;
    if (!(yield* select(selectLoggedIn))) return yield* refuse("user must be logged in");
    if (type === undefined) return yield* refuse(NOT_ALLOWED);
    const favoured: Favoured = { favoritable_id, favoritable_type: type };
    const id = yield* newId("favourite");
    // The channel's id is looked up on sending: items that wait before this one may change it.
    if (yield* select(selectIsFavourite(favoured))) yield* enqueue(id, "favourite.remove", { ...favoured, id: null });
    else yield* enqueue(id, "favourite.add", { ...favoured });
  });
}

function* refuse(message: string): SagaGenerator<void> {
  yield* put(favouritesActions.refused({ message }));
  yield* put(toastActions.wanted({ text: message, type: "error" }));
}
