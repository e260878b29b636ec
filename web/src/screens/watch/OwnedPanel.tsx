import { Chip } from "../../components/basic/Badge";
import { Button, ButtonLink } from "../../components/basic/Button";
import { useChannelClock } from "../../components/basic/now";
import { Touchline } from "../../components/basic/Touchline";
import { calendarFile } from "../../components/event/calendar";
import type { EventView } from "../../components/event/eventView";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";

/** For a viewer with access to an upcoming event: nothing to pay (MEDIA-15). */
export function OwnedPanel({ view }: { readonly view: EventView }) {
  const { t } = useTexts();
  const formats = useFormats();
  const now = useChannelClock();
  const { startsAt } = view;
  const isPurchased = view.offer.kind === "owned";
  return (
    <section className="panel stack" aria-labelledby="owned">
      <h2 className="type-section" id="owned">
        {t(isPurchased ? "watch.owned" : "watch.free")}
      </h2>
      <p>
        <Chip tone="success" icon="check">
          {t("watch.nothingToPay")}
        </Chip>
      </p>
      <p>{t("watch.ownedText", { day: formats.longDay(startsAt), time: formats.time(startsAt) })}</p>
      <Touchline state={{ kind: "upcoming" }} />
      <Button icon="calendar" block onClick={() => calendarFile(view, now())}>
        {t("event.addToCalendar")}
      </Button>
      {isPurchased && (
        <ButtonLink look="quiet" block to={linkTo("activeOrders")}>
          {t("watch.seeOrders")}
        </ButtonLink>
      )}
    </section>
  );
}
