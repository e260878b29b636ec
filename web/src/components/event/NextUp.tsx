import { Link } from "react-router";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { Badge } from "../basic/Badge";
import { Button } from "../basic/Button";
import { Icon } from "../basic/Icon";
import { useNow } from "../basic/now";
import { Touchline } from "../basic/Touchline";
import { Poster } from "../picture/Poster";
import { Countdown } from "./Countdown";
import type { EventView } from "./eventView";
import { FixtureName } from "./FixtureName";
import { OfferButton } from "./OfferButton";
import "./NextUp.css";

/** The next event of a schedule, large, with its countdown. */
export function NextUp({ event }: { readonly event: EventView }) {
  const { t } = useTexts();
  const formats = useFormats();
  const now = useNow(60_000);
  const apart = formats.daysApart(now, event.startsAt);
  const near = apart === 0 ? `${t("day.today")}, ` : apart === 1 ? `${t("day.tomorrow")}, ` : "";
  return (
    <article className="next-up">
      <Poster picture={event.picture} corners={{ topLeft: <Badge look="ink">{t("home.nextUp")}</Badge> }} square />
      <Touchline state={{ kind: "upcoming" }} />
      <div className="next-up__body">
        <div>
          <h3 className="next-up__name">
            <Link to={event.to}>
              <FixtureName title={event.title} />
            </Link>
          </h3>
          <p className="muted next-up__when">
            {event.kind}
            <br />
            {event.offer.kind === "blocked" && (
              <>
                {t("event.blocked")}
                <br />
              </>
            )}
            {`${near}${formats.longDay(event.startsAt)}, ${formats.time(event.startsAt)}`}
          </p>
        </div>
        <div>
          <Countdown until={event.startsAt} />
        </div>
        {event.offer.kind === "offline" ? (
          <p className="type-meta muted next-up__note">
            <Icon name="offline" size="small" />
            {t("offline.needsConnection")}
          </p>
        ) : (
          <div className="next-up__act">
            <OfferButton event={event} variant="act" />
            <Button
              icon="calendar"
              label={t("event.addToCalendar")}
              onClick={async () => {
                // The service worker caches this chunk early; the first page doesn't wait for it.
                const { calendarFile } = await import("./calendar");
                calendarFile(event, now);
              }}
            />
          </div>
        )}
      </div>
    </article>
  );
}
