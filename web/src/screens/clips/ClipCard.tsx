import { Link } from "react-router";
import { Badge } from "../../components/basic/Badge";
import { Touchline } from "../../components/basic/Touchline";
import { Poster } from "../../components/picture/Poster";
import type { Clip } from "../../contracts/resources";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { tagLabel } from "../clipTags";
import "../../components/event/EventCard.css";
import { clipPicture } from "./clipPicture";

interface ClipCardProps {
  readonly clip: Clip;
  /** Whether it is the clip being watched. */
  readonly isCurrent?: boolean;
}

/** A public clip as a card that links to its page (CLIP-7). */
export function ClipCard({ clip, isCurrent = false }: ClipCardProps) {
  const { t } = useTexts();
  const formats = useFormats();
  return (
    <article className="event-card">
      <Poster
        picture={clipPicture(clip)}
        corners={{ bottomRight: <Badge look="ink">{formats.duration(clip.duration)}</Badge> }}
      />
      <Touchline state={isCurrent ? { kind: "live" } : { kind: "watched", at: 0 }} />
      <div className="event-card__body">
        {isCurrent && <p className="type-label">{t("clips.playing")}</p>}
        <h3 className="event-card__name">
          <Link
            className="event-card__link"
            data-stop=""
            aria-current={isCurrent ? "page" : undefined}
            to={linkTo("share", { id: clip.id, uuid: clip.uuid })}
          >
            <bdi>{clip.name}</bdi>
          </Link>
        </h3>
        <p className="event-card__meta">{clip.tags.map((tag) => tagLabel(t, tag)).join(", ")}</p>
      </div>
    </article>
  );
}
