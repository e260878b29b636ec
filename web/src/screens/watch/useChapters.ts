import { useMemo } from "react";
import type { Id } from "../../contracts/resources";
import type { Chapter } from "../../player/chapters";
import { selectLoggedIn } from "../../slices/auth";
import { useAppSelector } from "../state";
import { useReads } from "../useRead";

/** As many parts can be told apart on the line. */
const MOST = 60;

/** The viewer's clips of an event's recording, as chapters of it. */
export function useChapters(eventId: Id, mediaId: Id): readonly Chapter[] {
  const loggedIn = useAppSelector(selectLoggedIn);
  useReads(loggedIn ? [{ method: "api.listEventClips", args: { event_id: eventId } }] : []);
  const byId = useAppSelector(({ clips }) => clips.byId);
  return useMemo(
    () =>
      Object.values(byId)
        .filter((clip) => clip.event_id === eventId && clip.event_media_id === mediaId)
        .map(({ id, name, start_time, duration }) => ({ id, name, start: start_time, end: start_time + duration }))
        .toSorted((a, b) => a.start - b.start)
        .slice(0, MOST),
    [byId, eventId, mediaId],
  );
}
