import { useMemo } from "react";
import type { Clip, Id } from "../../contracts/resources";
import type { Chapter } from "../../player/chapters";
import { useAppSelector } from "../state";
import { useRead } from "../useRead";

/** Maximum number of chapters on the seek bar. */
const MAX_CHAPTERS = 60;

/** The event's clips that are visible to the viewer. */
function useEventClips(eventId: Id): readonly Clip[] {
  useRead({ method: "api.listEventClips", args: { event_id: eventId } });
  const byId = useAppSelector(({ clips }) => clips.byId);
  return useMemo(() => Object.values(byId).filter((clip) => clip.event_id === eventId), [byId, eventId]);
}

/** Clips of an event's recording as chapters. */
export function useChapters(eventId: Id, mediaId: Id | undefined): readonly Chapter[] {
  const clips = useEventClips(eventId);
  return useMemo(
    () =>
      clips
        .filter((clip) => clip.event_media_id === mediaId && !clip.is_hidden)
        .map(({ id, name, start_time, duration }) => ({ id, name, start: start_time, end: start_time + duration }))
        .toSorted((a, b) => a.start - b.start)
        .slice(0, MAX_CHAPTERS),
    [clips, mediaId],
  );
}
