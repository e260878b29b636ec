import { type ReactNode, Suspense, useState } from "react";
import { Button } from "../../components/basic/Button";
import { Touchline } from "../../components/basic/Touchline";
import { type Picture, Poster } from "../../components/picture/Poster";
import { Loader } from "../../components/shell/Loader";
import { useTexts } from "../../i18n/useTexts";
import type { Theatre } from "../../player/Controls";
import type { ClipRange, OnClip } from "../../player/VideoPlayer";
import { selectOnline } from "../../slices/network";
import type { Playable } from "../../slices/player";
import { subjectOf, watchedShare } from "../../slices/positions";
import { part } from "../lazyWithRetry";
import { useDocumentTitle } from "../shell/useDocumentTitle";
import { useAppSelector } from "../state";
import { usePlayerAhead } from "../usePlayerAhead";
import { usePositions } from "../usePositions";
import { useAutoplay } from "../watch/useAutoplay";
import { usePosition } from "../watch/usePosition";
import { usePreroll } from "../watch/usePreroll";
import { useTheatre } from "../watch/useTheatre";
import { useViewing } from "../watch/useViewing";
import { useNextVideo } from "./useNextVideo";
import "./Library.css";

const ProtectedVideo = part(() => import("../ProtectedVideo"));
const Spot = part(async () => ({ default: (await import("../watch/Spot")).Spot }));

interface VideoPageProps {
  readonly back: ReactNode;
  readonly label: string;
  readonly title: string;
  readonly about: ReactNode;
  readonly picture: Picture;
  /** The public address, if there is one. */
  readonly url: string | null;
  /** Plays under a personal address. Without any address, `instead` replaces the video. */
  readonly isProtected?: boolean;
  readonly playable: Playable;
  readonly playLabel: string;
  readonly instead: ReactNode;
  /** The public preview. */
  readonly preview?: string | null;
  readonly acts?: ReactNode;
  /** Beside the picture if there is room, otherwise below it. */
  readonly beside?: ReactNode;
  readonly below?: ReactNode;
  /** Opens the clip form, if clips are allowed. */
  readonly onClip?: OnClip | undefined;
  readonly range?: ClipRange | undefined;
  /** Reads the video again when its address stops working: the channel may have removed it. */
  readonly onRefused: () => void;
}

interface PlayingProps {
  readonly onRefused: () => void;
  readonly onClip: OnClip | undefined;
  readonly range: ClipRange | undefined;
  readonly url: string | null;
  readonly playable: Playable;
  /** Time of the viewer's press, by `performance.now()`. */
  readonly pressedAt: number;
  readonly theatre: Theatre;
}

function Playing({ url, playable, pressedAt, onRefused, onClip, range, theatre }: PlayingProps) {
  const { t } = useTexts();
  const [pinned] = useState(url);
  const { kind, id } = playable;
  const isVideo = kind === "vod";
  // Clips are short, and their event's video had a preroll.
  const before = usePreroll(
    isVideo ? { event_id: 0, vod_id: id, event_category_id: 0, location_id: 0, media: "vod" } : null,
  );
  const next = useNextVideo(isVideo ? id : null);
  const [spot, setSpot] = useState<number | null>(null);
  const report = useViewing(before.at === "over" ? playable : null, { pressedAt, spot });
  const [startAt, notePosition] = usePosition(isVideo ? { kind: "vod", id } : null);
  if (before.at === "spot") return <Spot url={before.url} onQuarter={setSpot} />;
  if (before.at === "looking") return <Loader label={t("player.buffering")} />;
  return (
    <ProtectedVideo
      url={pinned}
      wanted={{ kind: "vod", id }}
      onRefused={onRefused}
      startAt={startAt}
      onClip={onClip}
      range={range}
      theatre={theatre}
      next={next}
      onEvent={(event) => {
        report(event);
        notePosition(event);
      }}
    />
  );
}

/** A video with its title: a library video, a clip or a shared clip. */
export function VideoPage(props: VideoPageProps) {
  const { back, label, title, about, picture, url, isProtected = false, playable, playLabel, instead, acts } = props;
  const { beside, below, onRefused, onClip, range, preview = null } = props;
  const [previews, setPreviews] = useState(false);
  const { t } = useTexts();
  const autoplays = useAutoplay();
  const [pressedAt, setPressedAt] = useState<number | null>(() => (autoplays ? performance.now() : null));
  const theatre = useTheatre();
  useDocumentTitle(title);
  const positions = usePositions();
  const watchedRatio =
    playable.kind === "vod" ? watchedShare(positions[subjectOf({ kind: "vod", id: playable.id })]) : 0;
  const plays = url !== null || isProtected;
  const online = useAppSelector(selectOnline);
  usePlayerAhead(plays ? ProtectedVideo.ahead : null, url);
  return (
    <div className={`wrap video-page${theatre.on && plays && pressedAt !== null ? " video-page--wide" : ""}`}>
      {back}
      <div>
        <div className="video-page__stage">
          {pressedAt !== null && plays ? (
            <Suspense fallback={<Loader label={t("player.buffering")} />}>
              <Playing
                url={url}
                playable={playable}
                pressedAt={pressedAt}
                onRefused={onRefused}
                onClip={onClip}
                range={range}
                theatre={theatre}
              />
            </Suspense>
          ) : previews && preview !== null ? (
            <Suspense fallback={<Loader label={t("player.buffering")} />}>
              <ProtectedVideo url={preview} wanted={{ kind: "vod", id: playable.id }} onRefused={onRefused} />
            </Suspense>
          ) : (
            <>
              <Poster picture={picture} square />
              <div className="video-page__over">
                {!plays ? (
                  <>
                    {instead}
                    {preview !== null && (
                      <Button look="second" icon="play" disabled={!online} onClick={() => setPreviews(true)}>
                        {t("library.preview")}
                      </Button>
                    )}
                  </>
                ) : (
                  <Button
                    look="chalk"
                    size="big"
                    icon={online ? "play" : "offline"}
                    disabled={!online}
                    onClick={() => setPressedAt(performance.now())}
                  >
                    {online ? playLabel : t("offline.needsConnection")}
                  </Button>
                )}
              </div>
            </>
          )}
        </div>
        <Touchline state={{ kind: "watched", at: watchedRatio }} />
      </div>
      <div className="stack stack--tight">
        <p className="type-label">{label}</p>
        <h1 className="type-page">
          <bdi>{title}</bdi>
        </h1>
        {about}
      </div>
      {acts}
      {beside}
      {below}
    </div>
  );
}
