import { Loader } from "../../components/shell/Loader";
import type { Event } from "../../contracts/resources";
import { useTexts } from "../../i18n/useTexts";
import { Embedded } from "./Embedded";
import type { PlayableMedia } from "./playable";
import { Spot } from "./Spot";
import { usePreroll } from "./usePreroll";

interface EmbeddedVideoProps {
  readonly event: Event;
  readonly media: PlayableMedia;
  readonly onRefused: () => void;
}

const nothing = () => undefined;

/** A preroll if due, then another site's player, whose playback can't be observed (PRE-3). */
export default function EmbeddedVideo({ event, media, onRefused }: EmbeddedVideoProps) {
  const { t } = useTexts();
  const { id, event_category_id, location_id, stream_status } = event;
  const kind = stream_status === "live" ? "live" : "vod";
  const before = usePreroll({ event_id: id, event_category_id, location_id, media: kind });
  if (before.at === "spot") return <Spot url={before.url} onQuarter={nothing} />;
  if (before.at === "looking") return <Loader label={t("player.buffering")} />;
  return <Embedded url={media.url} wanted={{ kind: "event", id, media_id: media.mediaId }} onRefused={onRefused} />;
}
