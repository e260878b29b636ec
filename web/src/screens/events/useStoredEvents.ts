import { useMemo } from "react";
import type { Event, EventFilter } from "../../contracts/resources";
import { selectCategories, selectGroups, selectLocations } from "../../slices/catalogue";
import { selectEventsById } from "../../slices/events";
import { selectOnline } from "../../slices/network";
import { useAppSelector } from "../state";
import { storedEvents } from "./storedEvents";

const NONE: readonly Event[] = [];

/** Stored events for a list that can't be loaded because the page is offline; empty for any other list. */
export function useStoredEvents(filter: EventFilter, at: string): readonly Event[] {
  const isMissing = !useAppSelector(selectOnline) && at === "failed";
  const byId = useAppSelector(selectEventsById);
  const categories = useAppSelector(selectCategories);
  const groups = useAppSelector(selectGroups);
  const locations = useAppSelector(selectLocations);
  const key = JSON.stringify(filter);
  return useMemo(
    () => (isMissing ? storedEvents(Object.values(byId), JSON.parse(key), { categories, groups, locations }) : NONE),
    [isMissing, byId, key, categories, groups, locations],
  );
}
