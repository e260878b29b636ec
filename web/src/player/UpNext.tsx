import { type ReactNode, useEffect, useRef, useState } from "react";
import { Button } from "../components/basic/Button";
import { useTexts } from "../i18n/useTexts";
import "./UpNext.css";

/** The video after a finished recording. */
export interface Next {
  readonly title: ReactNode;
  readonly onPlay: () => void;
}

/** Seconds until the next video starts automatically. */
const WAITS = 8;
const SECOND = 1_000;

/**
 * The next video, over the last frame. It starts automatically, unless the viewer cancels or prefers reduced motion.
 */
export function UpNext({ title, onPlay, onAgain }: Next & { readonly onAgain: () => void }) {
  const { t } = useTexts();
  const first = useRef<HTMLDivElement>(null);
  const play = useRef(onPlay);
  const [left, setLeft] = useState<number | null>(() =>
    matchMedia("(prefers-reduced-motion: reduce)").matches ? null : WAITS,
  );
  useEffect(() => {
    play.current = onPlay;
  });
  useEffect(() => first.current?.querySelector("button")?.focus({ preventScroll: true }), []);
  useEffect(() => {
    if (left === null) return;
    if (left === 0) return play.current();
    const timer = setTimeout(() => setLeft(left - 1), SECOND);
    return () => clearTimeout(timer);
  }, [left]);
  return (
    <section className="player__message player__message--words player__next" aria-label={t("player.next")}>
      <p className="player__next-head">{t("player.next")}</p>
      <h2>{title}</h2>
      <div className="player__next-acts" ref={first}>
        <Button look="primary" icon="play" onClick={onPlay}>
          {t("player.playNow")}
        </Button>
        {left !== null && (
          <Button
            look="chalk"
            onClick={() => {
              setLeft(null);
              first.current?.querySelector("button")?.focus({ preventScroll: true });
            }}
          >
            {t("player.cancelNext")}
            <span className="figures" aria-hidden="true">
              {t("player.inSeconds", { seconds: left })}
            </span>
          </Button>
        )}
        <Button look="quiet" icon="refresh" onClick={onAgain}>
          {t("player.again")}
        </Button>
      </div>
      <p className="visually-hidden" role="status">
        {left === null ? t("player.nextWaits") : t("player.nextBegins", { seconds: WAITS })}
      </p>
    </section>
  );
}
