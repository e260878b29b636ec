import type { ReactNode } from "react";
import { Link } from "react-router";
import { FixtureName } from "../../components/event/FixtureName";
import type { Clip } from "../../contracts/resources";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { selectClipBlocked } from "../../slices/clips";
import { clipPicture } from "../clips/clipPicture";
import { SourceClips } from "../clips/SourceClips";
import { titleOf } from "../eventViews";
import { useAppSelector } from "../state";
import { VideoPage } from "./VideoPage";

interface ClipPageProps {
  readonly clip: Clip;
  readonly label: string;
  readonly back: ReactNode;
  readonly acts?: ReactNode;
  /** Reads the clip again when its address stops working. */
  readonly onRefused: () => void;
}

/** A clip with its video and its source event. */
export function ClipPage({ clip, label, back, acts, onRefused }: ClipPageProps) {
  const { t } = useTexts();
  const { event, video } = clip;
  const isBlocked = useAppSelector(selectClipBlocked(clip));
  return (
    <VideoPage
      back={back}
      label={label}
      title={clip.name}
      about={
        event ? (
          <p className="muted">
            <Link className="link" to={linkTo("watch", { id: event.id })}>
              <FixtureName title={titleOf(event)} />
            </Link>
          </p>
        ) : (
          video && (
            <p className="muted">
              <Link className="link" to={linkTo("vodItem", { id: video.id })}>
                <bdi>{video.title}</bdi>
              </Link>
            </p>
          )
        )
      }
      picture={clipPicture(clip)}
      url={clip.status === "ready" && !isBlocked ? (clip.url ?? null) : null}
      playable={{ kind: "clip", id: clip.id, stream_id: clip.event_media_id, stream_type: "clip" }}
      playLabel={t("clips.watch")}
      instead={
        <p className="stage__words">
          {clip.is_hidden ? t("clips.hidden") : isBlocked ? t("event.blocked") : t(`state.${clip.status}`)}
        </p>
      }
      acts={acts}
      onRefused={onRefused}
      below={
        event ? (
          <SourceClips source={{ kind: "event", id: event.id }} current={clip.id} />
        ) : (
          video && <SourceClips source={{ kind: "vod", id: video.id }} current={clip.id} />
        )
      }
    />
  );
}
