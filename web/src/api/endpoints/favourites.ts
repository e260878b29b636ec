import type { Favourite } from "../../contracts/resources";
import { type Endpoints, readArray } from "./endpoint";

/** Favourites are marked and unmarked through the outbox. */
export const favourites: Endpoints<"api.listFavourites"> = {
  "api.listFavourites": (_, call) => readArray<Favourite>(call, "/favorites"),
};
