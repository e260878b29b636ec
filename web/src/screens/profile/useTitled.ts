import { titleText } from "../../components/event/FixtureName";
import type { Transaction } from "../../contracts/resources";
import { selectEventsById } from "../../slices/events";
import type { Query } from "../../slices/queries";
import { titleOf } from "../eventViews";
import { useAppSelector } from "../state";
import { useRead } from "../useRead";

/** Maximum events per request; further purchases keep their order's name. */
const PAGE_SIZE = 100;

/** Replaces names of events by their titles, as everywhere else (EVENT-2). */
export function useTitled<Line extends Pick<Transaction, "product" | "type">>(
  lines: readonly Line[] | null,
): readonly Line[] | null {
  const ids = new Set(lines?.flatMap(({ type, product }) => (type === "event" ? product.id : [])));
  const listed = [...ids].slice(0, PAGE_SIZE).join(",");
  const query: Query = { method: "api.listEvents", args: { filter: { ids: listed, limit: PAGE_SIZE } } };
  useRead(listed === "" ? null : query);
  const events = useAppSelector(selectEventsById);
  return (
    lines?.map((line) => {
      const event = line.type === "event" ? events[line.product.id] : undefined;
      return event ? { ...line, product: { ...line.product, name: titleText(titleOf(event)) } } : line;
    }) ?? null
  );
}
