import { type ReactNode, Suspense, useEffect, useState } from "react";
import { Button } from "../../components/basic/Button";
import { Touchline } from "../../components/basic/Touchline";
import { type Picture, Poster } from "../../components/picture/Poster";
import { Loader } from "../../components/shell/Loader";
import { useTexts } from "../../i18n/useTexts";
import { type Playable, playerActions } from "../../slices/player";
import { part } from "../lazyWithRetry";
import { useDocumentTitle } from "../shell/useDocumentTitle";
import { useAppDispatch } from "../state";
import { usePlayerFacts } from "../watch/usePlayerFacts";
import "./Library.css";

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

function Playing({ url, playable }: { readonly url: string | null; readonly playable: Playable }) {
  const dispatch = useAppDispatch();
  const tell = usePlayerFacts();
  const [pinned] = useState(url);
  const { kind, id, stream_id, stream_type } = playable;
  useEffect(() => {
    dispatch(playerActions.opened({ kind, id, stream_id, stream_type }));
    return () => {
      dispatch(playerActions.closed());
    };
  }, [dispatch, kind, id, stream_id, stream_type]);
  return <ProtectedVideo url={pinned} wanted={{ kind: "vod", id }} onEvent={tell} />;
}

/** One video with its name: of the library, a clip, a shared clip. */
export function VideoPage(props: VideoPageProps) {
  const { back, label, title, about, picture, url, isProtected = false, playable, playLabel, instead, acts } = props;
  const { t } = useTexts();
  const [playing, setPlaying] = useState(false);
  useDocumentTitle(title);
  const plays = url !== null || isProtected;
  return (
    <div className="wrap video-page">
      {back}
      <div>
        <div className="video-page__stage">
          {playing && plays ? (
            <Suspense fallback={<Loader label={t("player.buffering")} />}>
              <Playing url={url} playable={playable} />
            </Suspense>
          ) : (
            <>
              <Poster picture={picture} square />
              <div className="video-page__over">
                {!plays ? (
                  instead
                ) : (
                  <Button look="chalk" size="big" icon="play" onClick={() => setPlaying(true)}>
                    {playLabel}
                  </Button>
                )}
              </div>
            </>
          )}
        </div>
        <Touchline state={{ kind: "watched", at: 0 }} />
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
