import { useMemo } from "react";
import type { Clip, Id } from "../../contracts/resources";
import type { Chapter } from "../../player/chapters";
import { useAppSelector } from "../state";
import { useRead } from "../useRead";

/** As many parts can be told apart on the line. */
const MOST = 60;

/** The clips of an event that the viewer may find. */
export function useEventClips(eventId: Id): readonly Clip[] {
  useRead({ method: "api.listEventClips", args: { event_id: eventId } });
  const byId = useAppSelector(({ clips }) => clips.byId);
  return useMemo(() => Object.values(byId).filter((clip) => clip.event_id === eventId), [byId, eventId]);
}

/** The clips of an event's recording as chapters of it. */
export function useChapters(eventId: Id, mediaId: Id | undefined): readonly Chapter[] {
  const clips = useEventClips(eventId);
  return useMemo(
    () =>
      clips
        .filter((clip) => clip.event_media_id === mediaId && !clip.is_hidden)
        .map(({ id, name, start_time, duration }) => ({ id, name, start: start_time, end: start_time + duration }))
        .toSorted((a, b) => a.start - b.start)
        .slice(0, MOST),
    [clips, mediaId],
  );
}
