import { type ReactNode, useId, useState } from "react";
import { useTexts } from "../../i18n/useTexts";
import { Button } from "../basic/Button";
import { FixtureName, isLong, type Title, titleText } from "../event/FixtureName";
import "./HeroSlides.css";

export interface HeroSlide {
  readonly id: number | string;
  readonly title: Title;
  /** The line above the title: badges and text. */
  readonly kicker?: ReactNode;
  readonly text?: string | null;
  readonly picture: ReactNode;
  readonly actions?: ReactNode;
}

/**
 * The hero. Each slide's line fills, then the next slide starts. Hover, focus and the pause button stop it, and reduced
 * motion disables it. The animation is the only timer.
 */
export function HeroSlides({ slides }: { readonly slides: readonly HeroSlide[] }) {
  const { t } = useTexts();
  const id = useId();
  /** Null until the first change of slides: the server-rendered first slide must not animate in again. */
  const [current, setCurrent] = useState<number | null>(null);
  const [paused, setPaused] = useState(false);
  const at = Math.min(current ?? 0, slides.length - 1);
  const slide = slides[at];
  if (!slide) return null;
  const go = (index: number) => {
    const next = (index + slides.length) % slides.length;
    if (next !== at) setCurrent(next);
  };
  return (
    <section
      className={`hero${paused ? " hero--paused" : ""}${current === null ? "" : " hero--turned"}`}
      aria-roledescription="carousel"
      aria-label={t("home.featured")}
    >
      <div className="hero__picture" key={slide.id}>
        {slide.picture}
      </div>
      <div className="wrap hero__words">
        <div className="hero__lead" id={`${id}slide`} aria-live={paused ? "polite" : "off"}>
          {slide.kicker && <div className="hero__kicker">{slide.kicker}</div>}
          <h1 className={`type-hero${isLong(slide.title) ? " type-hero--long" : ""}`}>
            <FixtureName title={slide.title} />
          </h1>
          {slide.text && <p className="type-lead muted hero__text">{slide.text}</p>}
          {slide.actions && <div className="hero__actions">{slide.actions}</div>}
        </div>
        {slides.length > 1 && (
          <div className="hero__foot">
            <ol className="hero__slides" aria-label={t("home.slides")}>
              {slides.map((one, index) => (
                <li key={one.id}>
                  <button
                    type="button"
                    className="hero__choose"
                    aria-controls={`${id}slide`}
                    aria-current={index === at ? "true" : undefined}
                    aria-label={t("home.slide", { index: index + 1, count: slides.length, name: titleText(one.title) })}
                    onClick={() => {
                      go(index);
                      setPaused(true);
                    }}
                    onKeyDown={(event) => {
                      const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
                      const list = event.currentTarget.closest("ol")?.querySelectorAll("button");
                      if (step === 0 || !list) return;
                      event.preventDefault();
                      list[(index + step + slides.length) % slides.length]?.focus();
                    }}
                  >
                    <span className="hero__line">
                      {index === at && <span className="hero__fill" key={slide.id} onAnimationEnd={() => go(at + 1)} />}
                    </span>
                    <span className="hero__name">{titleText(one.title)}</span>
                  </button>
                </li>
              ))}
            </ol>
            <Button
              look="quiet"
              icon={paused ? "play" : "pause"}
              label={paused ? t("home.play") : t("home.pause")}
              className="hero__pause"
              onClick={() => setPaused(!paused)}
            />
          </div>
        )}
      </div>
    </section>
  );
}
