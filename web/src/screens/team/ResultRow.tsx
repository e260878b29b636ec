import { useNow } from "../../components/basic/now";
import { FixtureRow } from "../../components/event/FixtureRow";
import type { Event, Id } from "../../contracts/resources";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { useEventView } from "../eventViews";
import { dayLabel } from "../search/dayLabel";
import { resultOf } from "./record";

/** A finished game with the team's result, unless the viewer hides scores. */
export function ResultRow({ event, team }: { readonly event: Event; readonly team: Id | null }) {
  const { t } = useTexts();
  const formats = useFormats();
  const now = useNow(60_000);
  const eventView = useEventView()(event);
  const result = team === null || eventView.score?.hidden ? null : resultOf(event, team);
  const about = result && `${t(`team.${result.result}`)}, ${t(result.isHome ? "team.atHome" : "team.away")}`;
  return (
    <FixtureRow
      event={about === null ? eventView : { ...eventView, kind: about }}
      day={dayLabel(eventView, now, formats, t)}
    />
  );
}
