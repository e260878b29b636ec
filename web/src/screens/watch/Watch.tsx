import { memo, Suspense, useCallback, useDeferredValue, useRef, useState } from "react";
import { useParams } from "react-router";
import { ButtonLink } from "../../components/basic/Button";
import { Loader } from "../../components/shell/Loader";
import type { Event } from "../../contracts/resources";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { chapterAt } from "../../player/chapters";
import { selectSettings } from "../../slices/catalogue";
import { selectEvent } from "../../slices/events";
import { selectMayWatch } from "../../slices/orders";
import { selectCapabilities } from "../../slices/user";
import { useClipMaker } from "../clips/useClipMaker";
import { useEventView } from "../eventViews";
import { FailedRead } from "../FailedRead";
import { part } from "../lazyWithRetry";
import { Missing } from "../Missing";
import { useAppSelector } from "../state";
import { useRead } from "../useRead";
import { AlsoLive } from "./AlsoLive";
import { BuyPanel } from "./BuyPanel";
import { EventFacts } from "./EventFacts";
import { KeyMoments } from "./KeyMoments";
import type { Moment } from "./moments";
import { OwnedPanel } from "./OwnedPanel";
import { playableOf } from "./playable";
import { Stage } from "./Stage";
import { useChapters } from "./useChapters";
import { useEventTitle } from "./useEventTitle";
import { useTheatre } from "./useTheatre";
import "./Watch.css";

const BelowVideo = part(() => import("./BelowVideo"));

/** An event's page: video or countdown, facts and price (EVENT). */
export function Component() {
  const { t } = useTexts();
  const id = Number(useParams().id);
  const { at, missing, retry } = useRead({ method: "api.getEvent", args: { id } });
  const event = useAppSelector(selectEvent(id));
  // Rendering is deferred in chunks, so that input is handled in between.
  const deferredEvent = useDeferredValue(event);
  if (event && deferredEvent?.id === id) return <EventPage key={id} event={deferredEvent} onRefresh={retry} />;
  if (!event && at === "failed" && !missing) {
    return (
      <div className="wrap">
        <FailedRead onRetry={retry} />
      </div>
    );
  }
  if (event || (at !== "loaded" && !missing)) return <Loader label={t("common.loading")} />;
  return (
    <div className="wrap">
      <Missing title={t("watch.missing")}>
        <ButtonLink to={linkTo("events")}>{t("home.fullSchedule")}</ButtonLink>
      </Missing>
    </div>
  );
}

interface EventPageProps {
  readonly event: Event;
  readonly onRefresh: () => void;
}

const EventPage = memo(function EventPage({ event, onRefresh }: EventPageProps) {
  const view = useEventView()(event);
  const mayWatch = useAppSelector(selectMayWatch(event)) && view.offer.kind !== "blocked";
  const { clipping } = useAppSelector(selectCapabilities);
  const publicOfPaid = useAppSelector(selectSettings)?.clips?.public_of_paid === true;
  const [previewing, setPreviewing] = useState(false);
  const main = useRef<HTMLDivElement>(null);
  const theatre = useTheatre();
  useEventTitle(event, view);
  const playable = mayWatch ? playableOf(event) : null;
  const moments = useChapters(event.id, playable?.kind === "vod" ? playable.mediaId : undefined);
  /** The moment being played, and the one that the viewer selected. */
  const [playing, setPlaying] = useState<number | null>(null);
  const [moment, setMoment] = useState<Moment | null>(null);
  const position = useRef(0);
  const notePosition = useCallback(
    (time: number) => {
      position.current = time;
      setPlaying(chapterAt(moments, time)?.id ?? null);
    },
    [moments],
  );
  const maker = useClipMaker(() => main.current?.querySelector<HTMLElement>(".player__clip")?.focus());
  const isOpen = event.access_type === "free" || event.access_type === "register";
  const making =
    playable &&
    maker.panel({
      source: { event_id: event.id },
      mediaId: playable.mediaId,
      whole: playable.duration,
      mayPublish: isOpen || publicOfPaid,
    });
  return (
    <div className="wrap">
      <div className={theatre.on && playable ? "watch watch--wide" : "watch"}>
        <div className="watch__main" ref={main}>
          <Stage
            event={event}
            view={view}
            mayWatch={mayWatch}
            onRefresh={onRefresh}
            previewing={previewing}
            theatre={theatre}
            range={maker.range}
            moment={moment}
            onPosition={notePosition}
            onClip={clipping && playable?.isClippable && playable.kind !== "embedded" ? maker.ask : undefined}
          />
          <EventFacts
            event={event}
            view={view}
            previewing={previewing}
            onPreview={setPreviewing}
            position={() => position.current}
          />
        </div>
        <aside className="watch__side">
          {making || (
            <>
              {!mayWatch && <BuyPanel event={event} view={view} onCheck={onRefresh} />}
              {mayWatch && view.status === "upcoming" && <OwnedPanel view={view} />}
            </>
          )}
          {moments.length > 0 && (
            <KeyMoments
              moments={moments}
              current={playing}
              onMoment={(time) => {
                setMoment({ time, pressedAt: performance.now() });
                main.current?.scrollIntoView({ block: "nearest" });
              }}
            />
          )}
          <AlsoLive except={event.id} />
        </aside>
      </div>
      <Suspense fallback={null}>
        <BelowVideo event={event} />
      </Suspense>
    </div>
  );
});
