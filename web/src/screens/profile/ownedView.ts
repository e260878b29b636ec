import { initialsOf } from "../../components/picture/Crest";
import type { Picture } from "../../components/picture/Poster";
import type { Order } from "../../contracts/resources";
import { linkTo } from "../../navigation";
import { tabLink } from "../events/eventFilters";

/** The picture of a purchase without its own. */
export const purchasePicture = ({ product }: Order): Picture => ({
  kind: "figure",
  floor: "basketball",
  figure: initialsOf(product.name).slice(0, 1),
  color: "#1f4a8a",
  ink: "#f4b942",
});

/** The text key of a purchase's kind. */
export const purchaseKind = ({ type, product }: Order) =>
  product.participant_id === undefined ? type : ("team_pass" as const);

/** Path of the page to watch a purchase on: the event, the events of the team or package, or those of all passes. */
export function purchasePath({ type, product }: Order): string {
  if (type === "event") return linkTo("watch", { id: product.id });
  if (product.participant_id !== undefined) return linkTo("home", {}, { participant: product.participant_id });
  return tabLink("passes", new URLSearchParams(type === "package" ? { package: String(product.id) } : {}));
}
