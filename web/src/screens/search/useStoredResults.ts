import { useMemo } from "react";
import type { SearchResults } from "../../contracts/resources";
import { selectGroups, selectPages, selectParticipants } from "../../slices/catalogue";
import { selectEventsById } from "../../slices/events";
import { selectVodById } from "../../slices/vod";
import { useAppSelector } from "../state";
import { storedResults } from "./storedResults";

/** Stored results for a search that needs a connection; null if there are none, or without a query. */
export function useStoredResults(query: string | null): SearchResults | null {
  const events = useAppSelector(selectEventsById);
  const participants = useAppSelector(selectParticipants);
  const groups = useAppSelector(selectGroups);
  const videos = useAppSelector(selectVodById);
  const pages = useAppSelector(selectPages);
  return useMemo(() => {
    if (query === null) return null;
    const stored = { events: Object.values(events), participants, groups, videos: Object.values(videos), pages };
    const results = storedResults(stored, query);
    return Object.values(results).some(({ meta }) => meta.total > 0) ? results : null;
  }, [query, events, participants, groups, videos, pages]);
}
