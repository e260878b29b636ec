import { Suspense, useState } from "react";
import { Badge } from "../../components/basic/Badge";
import { ButtonLink } from "../../components/basic/Button";
import { useNow } from "../../components/basic/now";
import { OfferButton, saysDetails } from "../../components/event/OfferButton";
import { type Floor, floorOf } from "../../components/picture/floor";
import { Photograph } from "../../components/picture/Photograph";
import { type HeroSlide, HeroSlides } from "../../components/rail/HeroSlides";
import type { Event, Slide } from "../../contracts/resources";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { selectCategories, selectMainSlides, selectSettings } from "../../slices/catalogue";
import { selectEventsById } from "../../slices/events";
import { selectAnsweredAt } from "../../slices/queries";
import { categoryPath, teamsOf, titleOf, useEventView } from "../eventViews";
import { part } from "../lazyWithRetry";
import { Boundary } from "../shell/Boundary";
import { useAppSelector } from "../state";

const RAILS = { method: "api.listHomeRails", args: {} } as const;

/** Loaded only for channels without a picture. */
const Scene = part(async () => ({ default: (await import("../../components/picture/Scene")).Scene }));

/** A slide's picture: the channel's, or a drawn scene if it is missing or fails to load. */
function SlidePicture({
  slide,
  floor,
  event,
  boards,
}: {
  slide: Slide;
  floor: Floor;
  event: Event | undefined;
  boards: string;
}) {
  const [away, home] = event ? teamsOf(event) : [];
  const [broken, setBroken] = useState("");
  if (slide.image !== broken) {
    return (
      <Photograph
        sizes="(min-width: 900px) 74vw, 100vw"
        url={slide.image}
        facts={slide.picture}
        onError={() => setBroken(slide.image)}
      />
    );
  }
  return (
    <Boundary location="scene" quiet>
      <Suspense>
        <Scene floor={floor} away={away?.color ?? "#0d6f72"} home={home?.color ?? "#1f4a8a"} boards={boards} />
      </Suspense>
    </Boundary>
  );
}

/** The home page's hero. A slide for an event shows its status; without slides, live or upcoming events fill it. */
export function Featured({ slides: given }: { readonly slides?: readonly Slide[] }) {
  const { t } = useTexts();
  const formats = useFormats();
  const now = useNow(60_000);
  const main = useAppSelector(selectMainSlides);
  const events = useAppSelector(selectEventsById);
  const categories = useAppSelector(selectCategories);
  const settings = useAppSelector(selectSettings);
  const view = useEventView();
  const answeredAt = useAppSelector(selectAnsweredAt(RAILS));
  const slides = (given ?? main.filter(({ slidable_type }) => slidable_type === undefined)).map((slide): HeroSlide => {
    const event = slide.event_id === undefined ? undefined : events[slide.event_id];
    const eventView = event && view(event);
    // Offline, it is unknown whether it is still live.
    const isStale = eventView?.status === "live" && eventView.offer.kind === "offline";
    const sport = event && categoryPath(categories, event.event_category_id)[0]?.sport;
    return {
      id: slide.id,
      title: slide.title !== "" ? slide.title : event ? titleOf(event) : (settings?.name ?? ""),
      text: eventView?.offer.kind === "blocked" ? t("event.blocked") : slide.text,
      kicker: eventView && (
        <>
          {eventView.status === "live" && !isStale && <Badge look="live">{t("event.live")}</Badge>}
          <span>{eventView.kind}</span>
          <span className="muted">
            {isStale && answeredAt !== null
              ? t("offline.wasLive", { time: formats.time(answeredAt) })
              : eventView.status === "upcoming"
                ? `${formats.longDay(eventView.startsAt)}, ${formats.time(eventView.startsAt)}`
                : eventView.status === "live"
                  ? t("event.started", { ago: formats.relative(now, eventView.startsAt) })
                  : t("event.finished")}
          </span>
        </>
      ),
      picture: <SlidePicture slide={slide} floor={floorOf(sport)} event={event} boards={settings?.name ?? ""} />,
      actions: eventView ? (
        <>
          {!saysDetails(eventView) && <OfferButton event={eventView} variant="act" primary big />}
          <ButtonLink size="big" look={saysDetails(eventView) ? "primary" : "second"} to={slide.link || eventView.to}>
            {slide.button || t("event.eventDetails")}
          </ButtonLink>
        </>
      ) : (
        slide.link !== "" && (
          <ButtonLink size="big" look="primary" to={slide.link}>
            {slide.button || t("event.details")}
          </ButtonLink>
        )
      ),
    };
  });
  if (slides.length === 0) return <h1 className="visually-hidden">{settings?.name}</h1>;
  return <HeroSlides slides={slides} />;
}
