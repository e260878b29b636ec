import type { EventView } from "../../components/event/eventView";
import { titleText } from "../../components/event/FixtureName";
import type { Event } from "../../contracts/resources";
import { formatsFor } from "../../i18n/format";
import { useTexts } from "../../i18n/useTexts";
import { useDocumentTitle } from "../shell/useDocumentTitle";

/**
 * Sets an event page's title as the worker does, distinct from another game of the same teams: "Owls @ Kestrels ·
 * Women’s basketball · Nov 21, 2026" (FOUND-1).
 */
export function useEventTitle(event: Event, view: EventView): void {
  const { language } = useTexts();
  const day = formatsFor(language, event.time_zone).shortDate(view.startsAt);
  useDocumentTitle([titleText(view.title), view.kind, day].filter(Boolean).join(" · "));
}
