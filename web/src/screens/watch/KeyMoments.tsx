import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import type { Chapter } from "../../player/chapters";
import "./KeyMoments.css";

interface KeyMomentsProps {
  readonly moments: readonly Chapter[];
  /** The moment being played. */
  readonly current: number | null;
  readonly onMoment: (time: number) => void;
}

/** A recording's named moments, as buttons that seek (MEDIA-15). */
export function KeyMoments({ moments, current, onMoment }: KeyMomentsProps) {
  const { t } = useTexts();
  const formats = useFormats();
  return (
    <section className="key-moments" aria-labelledby="key-moments">
      <div className="key-moments__head">
        <h2 className="type-section" id="key-moments">
          {t("watch.keyMoments")}
        </h2>
        <span className="muted figures">{moments.length}</span>
      </div>
      <ol>
        {moments.map(({ id, name, start, end }) => (
          <li key={id}>
            <button
              type="button"
              className="key-moments__one"
              aria-current={id === current ? "true" : undefined}
              onClick={() => onMoment(start)}
            >
              <span className="key-moments__at figures">{formats.duration(start)}</span>
              <span>
                <span className="key-moments__name">{name}</span>
                <span className="type-meta muted figures">{formats.duration(end - start)}</span>
              </span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
