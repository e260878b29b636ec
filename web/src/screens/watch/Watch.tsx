import { useRef, useState } from "react";
import { useParams } from "react-router";
import { ButtonLink } from "../../components/basic/Button";
import { titleText } from "../../components/event/FixtureName";
import { Loader } from "../../components/shell/Loader";
import type { Event } from "../../contracts/resources";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { selectEvent } from "../../slices/events";
import { selectMayWatch } from "../../slices/orders";
import { preferencesActions, selectPreference } from "../../slices/preferences";
import { selectCapabilities, selectUserFlags } from "../../slices/user";
import { useEventView } from "../eventViews";
import { FailedRead } from "../FailedRead";
import { Missing } from "../Missing";
import { useDocumentTitle } from "../shell/useDocumentTitle";
import { useAppDispatch, useAppSelector } from "../state";
import { useRead } from "../useRead";
import { AlsoLive } from "./AlsoLive";
import { BuyPanel } from "./BuyPanel";
import { ClipAsked } from "./ClipAsked";
import { ClipMaker, type ClipStart } from "./ClipMaker";
import { EventFacts } from "./EventFacts";
import { playableOf } from "./playable";
import { Stage } from "./Stage";
import { UnverifiedClip } from "./UnverifiedClip";
import "./Watch.css";

/** Whether the picture is as wide as the page (LIM-2). */
const THEATRE = "player_theatre";

/** The page of one event: its video or its countdown, what it is, and what it costs (EVENT). */
export function Component() {
  const { t } = useTexts();
  const id = Number(useParams().id);
  const { at, missing, retry } = useRead({ method: "api.getEvent", args: { id } });
  const event = useAppSelector(selectEvent(id));
  if (event) return <EventPage key={id} event={event} onRefresh={retry} />;
  if (at === "failed" && !missing) {
    return (
      <div className="wrap">
        <FailedRead onRetry={retry} />
      </div>
    );
  }
  if (at !== "loaded" && !missing) return <Loader label={t("common.loading")} />;
  return (
    <div className="wrap">
      <Missing title={t("watch.missing")}>
        <ButtonLink to={linkTo("events")}>{t("home.fullSchedule")}</ButtonLink>
      </Missing>
    </div>
  );
}

function EventPage({ event, onRefresh }: { readonly event: Event; readonly onRefresh: () => void }) {
  const view = useEventView()(event);
  const mayWatch = useAppSelector(selectMayWatch(event)) && view.offer.kind !== "blocked";
  const { clipping } = useAppSelector(selectCapabilities);
  const unverified = useAppSelector(selectUserFlags)?.email_verified === false;
  const [previewing, setPreviewing] = useState(false);
  const [clip, setClip] = useState<ClipStart | null>(null);
  /** How often the form of a clip was asked for. */
  const [times, setTimes] = useState(0);
  /** The clip in the making that stands in the form's place. */
  const [asked, setAsked] = useState<string | null>(null);
  const main = useRef<HTMLDivElement>(null);
  const dispatch = useAppDispatch();
  const wide = useAppSelector(selectPreference(THEATRE)) === "on";
  const theatre = {
    on: wide,
    onToggle: () => dispatch(preferencesActions.chose({ name: THEATRE, value: wide ? "off" : "on" })),
  };
  useDocumentTitle(titleText(view.title));
  const playable = mayWatch ? playableOf(event) : null;
  const askForClip = (time: number) => {
    setAsked(null);
    setClip({ start: Math.max(0, time - 24), end: Math.max(1, time) });
    setTimes(times + 1);
  };
  const closeClip = () => {
    setAsked(null);
    setClip(null);
    main.current?.querySelector<HTMLElement>(".player__clip")?.focus();
  };
  return (
    <div className="wrap">
      <div className={wide && playable ? "watch watch--wide" : "watch"}>
        <div className="watch__main" ref={main}>
          <Stage
            event={event}
            view={view}
            mayWatch={mayWatch}
            onRefresh={onRefresh}
            previewing={previewing}
            theatre={theatre}
            range={asked === null && clip ? clip : undefined}
            onClip={clipping && playable?.kind === "vod" ? askForClip : undefined}
          />
          <EventFacts event={event} view={view} previewing={previewing} onPreview={setPreviewing} />
        </div>
        <aside className="watch__side">
          {asked !== null && playable ? (
            <ClipAsked making={asked} onClose={closeClip} />
          ) : clip && playable && unverified ? (
            <UnverifiedClip times={times} onClose={closeClip} />
          ) : clip && playable ? (
            <ClipMaker
              event={event}
              mediaId={playable.mediaId}
              times={times}
              range={clip}
              onRange={setClip}
              onAsked={setAsked}
              onClose={closeClip}
            />
          ) : (
            !mayWatch && <BuyPanel event={event} view={view} onCheck={onRefresh} />
          )}
          <AlsoLive except={event.id} />
        </aside>
      </div>
    </div>
  );
}
