import { useMemo } from "react";
import { useNavigate } from "react-router";
import { FixtureName } from "../../components/event/FixtureName";
import type { Event, EventFilter, Id } from "../../contracts/resources";
import { linkTo } from "../../navigation";
import type { Next } from "../../player/UpNext";
import { selectEventList, selectEventsById } from "../../slices/events";
import { selectMayWatch } from "../../slices/orders";
import { titleOf } from "../eventViews";
import { useAppSelector } from "../state";
import { useRead } from "../useRead";
import { AUTOPLAY } from "./autoplay";
import { playableOf } from "./playable";

/** Number of recordings in the same category to check. */
const CANDIDATE_LIMIT = 12;

/** Recordings of the same category, latest first. */
export const similarFilter = (event_category_id: Id): EventFilter => ({
  stream_status: "finished",
  event_category_id,
  limit: CANDIDATE_LIMIT,
  offset: 0,
});

/** The next recording in an event's category that the viewer may watch. */
export function useNext(event: Event): Next | undefined {
  const navigate = useNavigate();
  const { id, event_category_id } = event;
  const filter = useMemo(() => similarFilter(event_category_id), [event_category_id]);
  useRead({ method: "api.listEvents", args: { filter } });
  const ids = useAppSelector(selectEventList(filter))?.ids ?? [];
  const byId = useAppSelector(selectEventsById);
  const at = ids.indexOf(id);
  const nextId = useAppSelector((state) =>
    [...ids.slice(at + 1), ...ids.slice(0, Math.max(0, at))].find((one) => {
      const other = byId[one];
      return other && one !== id && playableOf(other)?.kind === "vod" && selectMayWatch(other)(state);
    }),
  );
  const next = nextId === undefined ? undefined : byId[nextId];
  if (!next) return undefined;
  return {
    title: <FixtureName title={titleOf(next)} />,
    onPlay: () => navigate(linkTo("watch", { id: next.id }), { state: AUTOPLAY }),
  };
}
