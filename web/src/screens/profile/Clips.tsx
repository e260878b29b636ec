import { useState } from "react";
import { Link } from "react-router";
import { Badge, Chip } from "../../components/basic/Badge";
import { Button, ButtonLink } from "../../components/basic/Button";
import { Dialog } from "../../components/basic/Dialog";
import { Empty } from "../../components/basic/Empty";
import type { IconName } from "../../components/basic/icons";
import { Notice } from "../../components/basic/Notice";
import { useNow } from "../../components/basic/now";
import { CardSkeletons } from "../../components/basic/Skeleton";
import { type LineState, Touchline } from "../../components/basic/Touchline";
import { FixtureName } from "../../components/event/FixtureName";
import { Poster } from "../../components/picture/Poster";
import type { Clip, ClipStatus } from "../../contracts/resources";
import { sentence } from "../../i18n/sentence";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { clipActions, selectClipsInProgress } from "../../slices/clip";
import {
  clipsActions,
  selectClipBlocked,
  selectClipDeleting,
  selectClipsById,
  selectMyClipIds,
} from "../../slices/clips";
import { selectOnline } from "../../slices/network";
import { selectCapabilities, selectFeatureCount } from "../../slices/user";
import { clipPicture } from "../clips/clipPicture";
import { tagLabel } from "../clipTags";
import { titleOf } from "../eventViews";
import { FailedRead } from "../FailedRead";
import { useAppDispatch, useAppSelector } from "../state";
import { useRead } from "../useRead";
import { useShareClip } from "../useShare";
import { ProfilePage } from "./ProfilePage";
import "../../components/event/EventCard.css";

const TRASH = { path: "M4.500 7h15M9 7V4h6v3M6.500 7l1 13h9l1-13" };

const LATE = 5 * 60_000;

const LOOK: { readonly [S in ClipStatus]: { tone: "plain" | "info" | "success" | "danger"; icon: IconName } } = {
  queued: { tone: "plain", icon: "clock" },
  processing: { tone: "info", icon: "refresh" },
  ready: { tone: "success", icon: "check" },
  failed: { tone: "danger", icon: "alert" },
};

const LINE: { readonly [S in ClipStatus]: LineState } = {
  queued: { kind: "steps", steps: ["now", "todo", "todo"], at: 0.4 },
  processing: { kind: "steps", steps: ["done", "now", "todo"], at: 0.5 },
  ready: { kind: "steps", steps: ["done", "done", "done"] },
  failed: { kind: "steps", steps: ["done", "failed", "todo"] },
};

/** Asks before deleting a clip. The clip's card shows the progress, a notice any failure. */
function Deletion({ clip, onClose }: { readonly clip: Clip; readonly onClose: () => void }) {
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  return (
    <Dialog title={t("clips.deleteTitle")} subtitle={clip.name} onClose={onClose}>
      <p className="muted">{t("clips.deleteText")}</p>
      <div className="dialog__acts">
        <Button
          look="danger"
          icon={TRASH}
          onClick={() => {
            dispatch(clipsActions.deletePressed({ id: clip.id }));
            onClose();
          }}
        >
          {t("clips.deleteConfirm")}
        </Button>
        <Button look="quiet" onClick={onClose}>
          {t("common.cancel")}
        </Button>
      </div>
    </Dialog>
  );
}

function ClipCard({ clip }: { readonly clip: Clip }) {
  const { t } = useTexts();
  const formats = useFormats();
  const now = useNow(60_000);
  const dispatch = useAppDispatch();
  const share = useShareClip();
  const { download_clip } = useAppSelector(selectCapabilities);
  const isBlocked = useAppSelector(selectClipBlocked(clip));
  const deleting = useAppSelector(selectClipDeleting(clip.id)) === "asked";
  const [asking, setAsking] = useState(false);
  const createdAt = Date.parse(clip.created_at);
  const look = LOOK[clip.status];
  const isPending = clip.status === "queued" || clip.status === "processing";
  const note = clip.is_hidden
    ? t("clips.hidden")
    : isPending && now - createdAt > LATE
      ? t("clips.late")
      : clip.status === "queued"
        ? t("clips.queued")
        : clip.status === "processing"
          ? t("clips.processing")
          : clip.status === "failed"
            ? t("clips.failedText")
            : isBlocked
              ? t("event.blocked")
              : null;
  return (
    <article className="event-card">
      <Poster
        picture={clipPicture(clip)}
        dim={isPending}
        corners={{ bottomRight: <Badge look="ink">{formats.duration(clip.duration)}</Badge> }}
      />
      <Touchline state={LINE[clip.status]} />
      <div className="clip-card__state">
        <Chip tone={look.tone} icon={look.icon}>
          {t(`state.${clip.status}`)}
        </Chip>
        <span className="type-meta muted">{formats.relative(now, createdAt)}</span>
      </div>
      <div className="event-card__body">
        <h2 className="event-card__name">
          {clip.status === "ready" ? (
            <Link className="event-card__link" to={linkTo("watchLibrary", { id: clip.id })}>
              <bdi>{clip.name}</bdi>
            </Link>
          ) : (
            clip.name
          )}
        </h2>
        {(clip.event || clip.video) && (
          <p className="event-card__meta">
            {clip.event ? <FixtureName title={titleOf(clip.event)} /> : clip.video?.title}
          </p>
        )}
        <p className="event-card__meta">{t(clip.visibility === "public" ? "clips.isPublic" : "clips.isByLink")}</p>
        <p className="event-card__meta">{clip.tags.map((tag) => tagLabel(t, tag)).join(", ")}</p>
      </div>
      <div className="clip-card__acts">
        {note !== null ? (
          <p className="type-meta muted">{note}</p>
        ) : (
          <p className="clip-card__ways">
            {download_clip && (
              <Button
                size="small"
                icon="download"
                onClick={() => dispatch(clipsActions.downloadPressed({ id: clip.id }))}
              >
                {t("clips.download")}
              </Button>
            )}
          </p>
        )}
        {clip.status === "ready" && !clip.is_hidden && (
          <Button look="quiet" icon="share" label={t("clips.share", { name: clip.name })} onClick={() => share(clip)} />
        )}
        <Button
          look="quiet"
          icon={TRASH}
          busy={deleting}
          label={t("clips.delete", { name: clip.name })}
          onClick={() => setAsking(true)}
        />
      </div>
      {asking && <Deletion clip={clip} onClose={() => setAsking(false)} />}
    </article>
  );
}

/** Failed clips, and clips that wait for a connection. */
function InMaking() {
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  const online = useAppSelector(selectOnline);
  const making = Object.entries(useAppSelector(selectClipsInProgress));
  return making.map(([key, state]) => {
    if (state.at === "submitting") {
      return (
        <Notice key={key} icon="clock">
          <b>
            <bdi>{state.request.name}</bdi>
          </b>
          : {t(online ? "clips.sending" : "clips.whenBack")}
        </Notice>
      );
    }
    if (state.at === "failed") {
      return (
        <Notice key={key} tone="danger">
          <b>
            <bdi>{state.request.name}</bdi>
          </b>
          : {sentence(t, state.message)}{" "}
          <button type="button" className="link" onClick={() => dispatch(clipActions.dismissed({ key }))}>
            {t("toast.dismiss")}
          </button>
        </Notice>
      );
    }
    return null;
  });
}

/** The viewer's clips, newest first (CLIP). */
export function Component() {
  const { t } = useTexts();
  const { at, retry } = useRead({ method: "api.listUserClips", args: {} });
  const byId = useAppSelector(selectClipsById);
  const clips = useAppSelector(selectMyClipIds)
    .flatMap((id) => byId[id] ?? [])
    .sort((a, b) => b.id - a.id);
  const { downloads } = useAppSelector(selectFeatureCount);
  const { clipping } = useAppSelector(selectCapabilities);
  const count = clips.filter(({ status }) => status !== "failed").length;
  return (
    <ProfilePage title={t("profile.clips")}>
      <InMaking />
      {clips.length > 0 ? (
        <>
          <p className="muted figures">
            {t("clips.kept", { count })} {t("clips.downloads", { count: downloads })}
          </p>
          <ul className="card-grid">
            {clips.map((clip) => (
              <li key={clip.id} className="events-by-day__card">
                <ClipCard clip={clip} />
              </li>
            ))}
          </ul>
        </>
      ) : at === "failed" ? (
        <FailedRead onRetry={retry} />
      ) : at !== "loaded" ? (
        <CardSkeletons count={3} />
      ) : !clipping ? (
        <Empty title={t("clips.emptyTitle")} text={t("clips.notAllowed")} />
      ) : (
        <Empty title={t("clips.emptyTitle")} text={t("clips.emptyText")}>
          <ButtonLink to="/vod">{t("clips.toRecordings")}</ButtonLink>
        </Empty>
      )}
    </ProfilePage>
  );
}
