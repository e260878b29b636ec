import { useEffect, useId, useRef, useState } from "react";
import { Button } from "../../components/basic/Button";
import { Field, FieldError } from "../../components/form/Field";
import { FormAlert } from "../../components/form/FormAlert";
import { RadioCard } from "../../components/form/RadioCard";
import { useErrorReveal } from "../../components/form/reveal";
import { duration } from "../../i18n/format";
import { sentence } from "../../i18n/sentence";
import { useTexts } from "../../i18n/useTexts";
import { isPrivate } from "../../lib/privateText";
import type { ClipRequest } from "../../machines/clip";
import type { ClipRange, ClipWindow } from "../../player/VideoPlayer";
import { clipActions, DRAFT, selectClipRefusal, selectClipsInProgress } from "../../slices/clip";
import { selectOnline } from "../../slices/network";
import { CLIP_TAGS, tagLabel } from "../clipTags";
import { useAppDispatch, useAppSelector } from "../state";
import { useReveal } from "./useReveal";
import "../../components/form/Filter.css";
import "./ClipMaker.css";

/** Maximum distance of the clip's ends from the initial time, in seconds. */
const MAX_DISTANCE_S = 90;
/** The form stays this long after submission, in milliseconds, so that a double click hits nothing else. */
const CLOSE_DELAY_MS = 700;

interface ClipMakerProps {
  /** The source to cut from. */
  readonly source: Pick<ClipRequest, "event_id" | "vod_id">;
  readonly mediaId: number;
  /** Duration in seconds; 0 while live. */
  readonly whole: number;
  /** A live stream's available range. */
  readonly window: ClipWindow | null;
  /** Whether the channel allows public clips of it. */
  readonly mayPublish: boolean;
  /** Number of times the form was opened. */
  readonly times: number;
  readonly range: ClipRange;
  readonly onRange: (range: ClipRange) => void;
  /** Called with the id of the clip being created. */
  readonly onAsked: (making: string) => void;
  readonly onClose: () => void;
}

/** The form for a clip: range, name and at least one tag (CLIP, VAL-3). */
export function ClipMaker(props: ClipMakerProps) {
  const { source, mediaId, window, mayPublish, times, range: wanted, onRange, onAsked, onClose } = props;
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  const id = useId();
  const heading = useReveal(times);
  const nameField = useRef<HTMLInputElement>(null);
  const online = useAppSelector(selectOnline);
  const [name, setName] = useState("");
  const [tags, setTags] = useState<readonly string[]>([]);
  const [attempts, setAttempts] = useState(0);
  const tried = attempts > 0;
  const panel = useErrorReveal<HTMLElement>(attempts);
  const refusal = useAppSelector(selectClipRefusal);
  const making = useAppSelector(selectClipsInProgress);
  /** Clips in progress when the button was pressed. */
  const [before, setBefore] = useState<readonly string[] | null>(null);
  const mediaEnd = window?.end ?? (props.whole || Number.POSITIVE_INFINITY);
  const oldest = window?.start ?? 0;
  const [isPublic, setPublic] = useState(false);
  // A player's position may exceed the stated duration by a frame.
  const range = { start: Math.max(oldest, Math.min(wanted.start, mediaEnd - 1)), end: Math.min(wanted.end, mediaEnd) };
  const [bounds] = useState({
    from: Math.max(oldest, range.end - MAX_DISTANCE_S),
    to: Math.min(mediaEnd, range.end + MAX_DISTANCE_S),
  });
  const submitted = before && Object.keys(making).find((key) => key !== DRAFT && !before.includes(key));
  useEffect(() => {
    if (!submitted) return;
    const timer = setTimeout(() => onAsked(submitted), CLOSE_DELAY_MS);
    return () => clearTimeout(timer);
  }, [submitted, onAsked]);
  const nameErrorOf = (text: string) =>
    text.trim() === ""
      ? t("validation.fill")
      : text.length > 100
        ? t("validation.shorter", { number: 100 })
        : isPrivate(text)
          ? t("clips.privateName")
          : undefined;
  const tagError = tags.length === 0 ? t("validation.tag") : undefined;
  const submit = () => {
    setAttempts(attempts + 1);
    const entered = nameField.current?.value ?? "";
    setName(entered);
    if (nameErrorOf(entered) !== undefined || tagError !== undefined) return;
    setBefore(Object.keys(making));
    dispatch(
      clipActions.submitPressed({
        key: DRAFT,
        request: {
          ...source,
          name: entered.trim(),
          start_time: Math.round((range.start - oldest) * 1_000) / 1_000,
          ...(window ? { from_segment: window.segment } : {}),
          duration: Math.round((range.end - range.start) * 1_000) / 1_000,
          tags,
          event_media_id: mediaId,
          ...(mayPublish && isPublic ? { visibility: "public" as const } : {}),
        },
        media_duration: window === null && Number.isFinite(mediaEnd) ? mediaEnd : null,
      }),
    );
  };
  const toggle = (tag: string) =>
    setTags(tags.includes(tag) ? tags.filter((one) => one !== tag) : [...tags, tag].slice(0, 10));
  const slider = (end: "start" | "end") => (
    <input
      className="clip-maker__slider"
      type="range"
      min={bounds.from}
      max={bounds.to}
      step={0.5}
      value={range[end]}
      aria-label={t(`clips.${end}`)}
      aria-valuetext={duration(range[end] - oldest)}
      onChange={({ currentTarget: { valueAsNumber } }) =>
        onRange(
          end === "start"
            ? { start: Math.min(valueAsNumber, range.end - 1), end: range.end }
            : { start: range.start, end: Math.max(valueAsNumber, range.start + 1) },
        )
      }
    />
  );
  const share = (moment: number) => `${((moment - bounds.from) / (bounds.to - bounds.from)) * 100}%`;
  return (
    <section className="panel stack" aria-labelledby={`${id}title`} ref={panel}>
      <div className="clip-maker__head">
        <h2 className="type-section" id={`${id}title`} ref={heading} tabIndex={-1}>
          {t("clips.make")}
        </h2>
        <Button look="quiet" icon="close" label={t("dialog.close")} onClick={onClose} />
      </div>
      <fieldset
        className="clip-maker__range"
        aria-label={t("clips.range")}
        style={{ "--from": share(range.start), "--to": share(range.end) } as React.CSSProperties}
      >
        <span className="clip-maker__box" aria-hidden="true" />
        {slider("start")}
        {slider("end")}
      </fieldset>
      <p className="clip-maker__times figures">
        <span>{duration(range.start - oldest)}</span>
        <b>{t("clips.seconds", { count: Math.round(range.end - range.start) })}</b>
        <span>{duration(range.end - oldest)}</span>
      </p>
      <Field
        ref={nameField}
        label={t("clips.name")}
        maxLength={100}
        onChange={(change) => setName(change.currentTarget.value)}
        error={tried ? nameErrorOf(name) : undefined}
      />
      <fieldset
        className="stack stack--tight"
        data-field
        aria-describedby={tried && tagError ? `${id}tags` : undefined}
      >
        <legend className="field__label clip-maker__legend">{t("clips.tags")}</legend>
        <div className="clip-maker__tags">
          {CLIP_TAGS.map((tag, index) => (
            <button
              key={tag}
              data-invalid={tried && tagError !== undefined && index === 0}
              aria-describedby={tried && tagError && index === 0 ? `${id}tags` : undefined}
              type="button"
              className={tags.includes(tag) ? "filter filter--set" : "filter"}
              aria-pressed={tags.includes(tag)}
              onClick={() => toggle(tag)}
            >
              {tagLabel(t, tag)}
            </button>
          ))}
        </div>
        {tried && tagError && <FieldError id={`${id}tags`}>{tagError}</FieldError>}
      </fieldset>
      {mayPublish && (
        <fieldset className="stack stack--tight">
          <legend className="field__label clip-maker__legend">{t("clips.whoFinds")}</legend>
          <RadioCard
            name={`${id}visibility`}
            checked={!isPublic}
            title={t("clips.byLink")}
            text={t("clips.byLinkText")}
            onChange={() => setPublic(false)}
          />
          <RadioCard
            name={`${id}visibility`}
            checked={isPublic}
            title={t("clips.public")}
            text={t("clips.publicText")}
            onChange={() => setPublic(true)}
          />
        </fieldset>
      )}
      {refusal !== null && <FormAlert refusal={attempts}>{sentence(t, refusal)}</FormAlert>}
      <Button look="primary" block icon="clip" busy={Boolean(submitted)} onClick={submit}>
        {t("clips.makeIt")}
      </Button>
      <p className="type-meta muted">{t(online ? "clips.within" : "clips.whenBack")}</p>
    </section>
  );
}
