import { useId } from "react";
import { shallowEqual } from "react-redux";
import { Button } from "../../components/basic/Button";
import { SectionHeading } from "../../components/text/SectionHeading";
import type { Clip, Id } from "../../contracts/resources";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { tagLabel } from "../clipTags";
import { useEntryState } from "../shell/entryState";
import { useAppSelector } from "../state";
import { useRead } from "../useRead";
import { ClipCard } from "./ClipCard";
import "../../components/form/Filter.css";
import "../library/Library.css";

/** The source of clips. */
export type ClipSource = { readonly kind: "event"; readonly id: Id } | { readonly kind: "vod"; readonly id: Id };

/** Clips per press of *Show more*. */
const PAGE = 8;

const matchesSource = ({ kind, id }: ClipSource, clip: Clip): boolean =>
  kind === "event" ? clip.event_id === id : clip.vod_id === id;

/** Public clips of an event or a video and the viewer's own, by tag, newest first (CLIP-7). */
export function SourceClips({ source, current }: { readonly source: ClipSource; readonly current?: Id | undefined }) {
  const { t } = useTexts();
  const formats = useFormats();
  const id = useId();
  const [tag, setTag] = useEntryState<string | null>("tag", null);
  const [limit, setLimit] = useEntryState<number>("clips", PAGE);
  useRead(
    source.kind === "event"
      ? { method: "api.listEventClips", args: { event_id: source.id } }
      : { method: "api.listVodClips", args: { vod_id: source.id } },
  );
  const clips = useAppSelector(
    ({ clips: { byId, mine } }) =>
      Object.values(byId)
        .filter((clip) => matchesSource(source, clip) && clip.status === "ready" && !clip.is_hidden)
        // A clip shared by link appears only where its link leads.
        .filter(({ id, visibility }) => visibility !== "link" || id === current || mine.includes(id))
        .sort((a, b) => b.id - a.id),
    shallowEqual,
  );
  if (clips.every((clip) => clip.id === current)) return null;
  const tags = [...new Set(clips.flatMap((clip) => clip.tags))];
  const wanted = tag === null || !tags.includes(tag) ? clips : clips.filter((clip) => clip.tags.includes(tag));
  const filter = (label: string, value: string | null, count: number) => (
    <button
      key={value ?? ""}
      type="button"
      className={tag === value ? "filter filter--set" : "filter"}
      aria-pressed={tag === value}
      onClick={() => setTag(value)}
    >
      {label} <span className="muted figures">{formats.count(count)}</span>
    </button>
  );
  return (
    <section className="section" aria-labelledby={id}>
      <SectionHeading id={id} title={t(source.kind === "event" ? "watch.eventClips" : "clips.ofVideo")} />
      {tags.length > 1 && (
        <div className="clips__tags">
          {filter(t("clips.all"), null, clips.length)}
          {tags.map((one) => filter(tagLabel(t, one), one, clips.filter((clip) => clip.tags.includes(one)).length))}
        </div>
      )}
      <ul className="card-grid">
        {wanted.slice(0, limit).map((clip) => (
          <li key={clip.id}>
            <ClipCard clip={clip} isCurrent={clip.id === current} />
          </li>
        ))}
      </ul>
      {wanted.length > limit && (
        <div className="library__more">
          <Button onClick={() => setLimit(limit + PAGE)}>{t("common.showMore")}</Button>
          <p className="muted type-meta figures">
            {t("common.shown", { shown: formats.count(limit), total: formats.count(wanted.length) })}
          </p>
        </div>
      )}
    </section>
  );
}
