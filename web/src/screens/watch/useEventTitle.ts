import type { EventView } from "../../components/event/eventView";
import { titleText } from "../../components/event/FixtureName";
import type { Event } from "../../contracts/resources";
import { formatsFor } from "../../i18n/format";
import { useTexts } from "../../i18n/useTexts";
import { useDocumentTitle } from "../shell/useDocumentTitle";

/**
 * Sets an event page's title as the worker does, distinct from another game of the same teams: "Owls @ Kestrels ·
 * Women’s basketball · Nov 21, 2026 · 7:00 PM" (FOUND-1).
 */
export function useEventTitle(event: Event, view: EventView): void {
  const { language } = useTexts();
  const formats = formatsFor(language, event.time_zone);
  // Some browsers write a narrow space before "PM".
  const time = formats.time(view.startsAt).replaceAll(/\s/g, " ");
  const parts = [titleText(view.title), view.kind, formats.shortDate(view.startsAt), time];
  useDocumentTitle(parts.filter(Boolean).join(" · "));
}
