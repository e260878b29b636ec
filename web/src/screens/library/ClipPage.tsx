import type { ReactNode } from "react";
import { Link } from "react-router";
import { FixtureName } from "../../components/event/FixtureName";
import { floorOf } from "../../components/picture/floor";
import type { Clip } from "../../contracts/resources";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { selectClipBlocked } from "../../slices/clips";
import { pictureOf, titleOf } from "../eventViews";
import { useAppSelector } from "../state";
import { VideoPage } from "./VideoPage";

interface ClipPageProps {
  readonly clip: Clip;
  readonly label: string;
  readonly back: ReactNode;
  readonly acts?: ReactNode;
}

/** A clip with its video and the event it was cut from. */
export function ClipPage({ clip, label, back, acts }: ClipPageProps) {
  const { t } = useTexts();
  const { event } = clip;
  const isBlocked = useAppSelector(selectClipBlocked(clip));
  return (
    <VideoPage
      back={back}
      label={label}
      title={clip.name}
      about={
        event && (
          <p className="muted">
            <Link className="link" to={linkTo("watch", { id: event.id })}>
              <FixtureName title={titleOf(event)} />
            </Link>
          </p>
        )
      }
      picture={
        event
          ? pictureOf(event, floorOf(event.participants[0]?.properties.sport))
          : { kind: "figure", floor: "track", figure: clip.name.slice(0, 1).toUpperCase(), color: "#2d3340" }
      }
      url={clip.status === "ready" && !isBlocked ? (clip.url ?? null) : null}
      playable={{ kind: "clip", id: clip.id, stream_id: clip.event_media_id, stream_type: "clip" }}
      playLabel={t("clips.watch")}
      instead={<p className="stage__words">{isBlocked ? t("event.blocked") : t(`state.${clip.status}`)}</p>}
      acts={acts}
    />
  );
}
