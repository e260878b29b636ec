import { type ReactNode, Suspense, useState } from "react";
import { Button } from "../../components/basic/Button";
import { Touchline } from "../../components/basic/Touchline";
import { type Picture, Poster } from "../../components/picture/Poster";
import { Loader } from "../../components/shell/Loader";
import { useTexts } from "../../i18n/useTexts";
import { selectLoggedIn } from "../../slices/auth";
import type { Playable } from "../../slices/player";
import { selectPositions, shareSeen, subjectOf } from "../../slices/positions";
import { part } from "../lazyWithRetry";
import { useDocumentTitle } from "../shell/useDocumentTitle";
import { useAppSelector } from "../state";
import { usePlayerAhead } from "../usePlayerAhead";
import { useRead } from "../useRead";
import { usePosition } from "../watch/usePosition";
import { useViewing } from "../watch/useViewing";
import "./Library.css";

const POSITIONS = { method: "api.listPlayback", args: {} } as const;
const ProtectedVideo = part(() => import("../ProtectedVideo"));

interface VideoPageProps {
  readonly back: ReactNode;
  readonly label: string;
  readonly title: string;
  readonly about: ReactNode;
  readonly picture: Picture;
  /** What plays, when everyone may know its address. */
  readonly url: string | null;
  /** It plays under an address of the viewer's own. With neither, `instead` stands in the picture. */
  readonly isProtected?: boolean;
  readonly playable: Playable;
  readonly playLabel: string;
  readonly instead: ReactNode;
  readonly acts?: ReactNode;
}

interface PlayingProps {
  readonly url: string | null;
  readonly playable: Playable;
  /** When the viewer asked for it, milliseconds of `performance.now()`. */
  readonly pressedAt: number;
}

function Playing({ url, playable, pressedAt }: PlayingProps) {
  const [pinned] = useState(url);
  const { kind, id } = playable;
  const tell = useViewing(playable, { pressedAt, spot: null });
  const [startAt, notePosition] = usePosition(kind === "vod" ? { kind: "vod", id } : null);
  return (
    <ProtectedVideo
      url={pinned}
      wanted={{ kind: "vod", id }}
      startAt={startAt}
      onEvent={(event) => {
        tell(event);
        notePosition(event);
      }}
    />
  );
}

/** One video with its name: of the library, a clip, a shared clip. */
export function VideoPage(props: VideoPageProps) {
  const { back, label, title, about, picture, url, isProtected = false, playable, playLabel, instead, acts } = props;
  const { t } = useTexts();
  const [pressedAt, setPressedAt] = useState<number | null>(null);
  useDocumentTitle(title);
  const loggedIn = useAppSelector(selectLoggedIn);
  useRead(loggedIn ? POSITIONS : null);
  const positions = useAppSelector(selectPositions);
  const seen = playable.kind === "vod" ? shareSeen(positions[subjectOf({ kind: "vod", id: playable.id })]) : 0;
  const plays = url !== null || isProtected;
  usePlayerAhead(plays ? ProtectedVideo.ahead : null, url);
  return (
    <div className="wrap video-page">
      {back}
      <div>
        <div className="video-page__stage">
          {pressedAt !== null && plays ? (
            <Suspense fallback={<Loader label={t("player.buffering")} />}>
              <Playing url={url} playable={playable} pressedAt={pressedAt} />
            </Suspense>
          ) : (
            <>
              <Poster picture={picture} square />
              <div className="video-page__over">
                {!plays ? (
                  instead
                ) : (
                  <Button look="chalk" size="big" icon="play" onClick={() => setPressedAt(performance.now())}>
                    {playLabel}
                  </Button>
                )}
              </div>
            </>
          )}
        </div>
        <Touchline state={{ kind: "watched", at: seen }} />
      </div>
      <div className="stack stack--tight">
        <p className="type-label">{label}</p>
        <h1 className="type-page">{title}</h1>
        {about}
      </div>
      {acts}
    </div>
  );
}
