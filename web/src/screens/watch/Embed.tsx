import { useParams } from "react-router";
import { FixtureName } from "../../components/event/FixtureName";
import { Loader } from "../../components/shell/Loader";
import type { Event } from "../../contracts/resources";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { selectSettings } from "../../slices/catalogue";
import { selectEvent } from "../../slices/events";
import { selectMayWatch } from "../../slices/orders";
import { useEventView } from "../eventViews";
import { FailedRead } from "../FailedRead";
import { useDocumentTitle } from "../shell/useDocumentTitle";
import { useAppSelector } from "../state";
import { useRead } from "../useRead";
import { Away } from "./EmbedWay";
import { Stage } from "./Stage";
import { useEventTitle } from "./useEventTitle";
import "./Watch.css";

/** The player alone, for embedding on other sites. */
export function Component() {
  const { t } = useTexts();
  const id = Number(useParams().id);
  const { at, missing, retry } = useRead({ method: "api.getEvent", args: { id } });
  const event = useAppSelector(selectEvent(id));
  if (event) return <Player event={event} onRefresh={retry} />;
  if (missing) return <Lost />;
  return at === "failed" ? <FailedRead onRetry={retry} /> : <Loader label={t("common.loading")} />;
}

/** Links to the channel's site if the event doesn't exist. */
function Lost() {
  const { t } = useTexts();
  const site = useAppSelector(selectSettings)?.name ?? t("nav.home");
  const message = t("watch.missing");
  useDocumentTitle(message);
  return (
    <div className="stage stage--bare">
      <div className="stage__over">
        <h1 className="stage__words">{message}</h1>
        <Away to={linkTo("home")} label={site} />
      </div>
    </div>
  );
}

function Player({ event, onRefresh }: { readonly event: Event; readonly onRefresh: () => void }) {
  const view = useEventView()(event);
  const mayWatch = useAppSelector(selectMayWatch(event)) && view.offer.kind !== "blocked";
  useEventTitle(event, view);
  return (
    <>
      <h1 className="visually-hidden">
        <FixtureName title={view.title} />
      </h1>
      <Stage
        event={event}
        view={view}
        mayWatch={mayWatch}
        onRefresh={onRefresh}
        previewing={false}
        onClip={undefined}
        range={undefined}
        bare
      />
    </>
  );
}
