import { useParams } from "react-router";
import { Button, ButtonLink } from "../../components/basic/Button";
import { Loader } from "../../components/shell/Loader";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { selectLoggedIn } from "../../slices/auth";
import { clipsActions, selectClip, selectClipBlocked, selectMyClipIds } from "../../slices/clips";
import { selectCapabilities } from "../../slices/user";
import { FailedRead } from "../FailedRead";
import { LoginFirst } from "../LoginFirst";
import { Missing } from "../Missing";
import { useAppDispatch, useAppSelector } from "../state";
import { useRead } from "../useRead";
import { useShareClip } from "../useShare";
import { ClipPage } from "./ClipPage";

/** One of the viewer's clips. */
export function Component() {
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  const share = useShareClip();
  const id = Number(useParams().id);
  const loggedIn = useAppSelector(selectLoggedIn);
  const { download_clip } = useAppSelector(selectCapabilities);
  const { at, retry } = useRead(loggedIn ? { method: "api.listUserClips", args: {} } : null);
  const mine = useAppSelector(selectMyClipIds).includes(id);
  const stored = useAppSelector(selectClip(id));
  // Other viewers' clips have their own page.
  const clip = mine ? stored : null;
  const isBlocked = useAppSelector(selectClipBlocked(clip));
  const back = (
    <ButtonLink look="quiet" icon="chevronLeft" className="buy__back" to={linkTo("clips")}>
      {t("profile.clips")}
    </ButtonLink>
  );
  if (!loggedIn) return <LoginFirst />;
  if (!clip) {
    return (
      <div className="wrap">
        {at === "failed" ? (
          <FailedRead onRetry={retry} />
        ) : at !== "loaded" ? (
          <Loader label={t("common.loading")} />
        ) : (
          <Missing title={t("library.missing")}>{back}</Missing>
        )}
      </div>
    );
  }
  return (
    <ClipPage
      clip={clip}
      label={t("profile.clips")}
      back={<div>{back}</div>}
      onRefused={retry}
      acts={
        clip.status === "ready" &&
        !clip.is_hidden && (
          <div className="video-page__acts">
            <Button icon="share" onClick={() => share(clip)}>
              {t("common.share")}
            </Button>
            {download_clip && !isBlocked && (
              <Button icon="download" onClick={() => dispatch(clipsActions.downloadPressed({ id: clip.id }))}>
                {t("clips.download")}
              </Button>
            )}
          </div>
        )
      }
    />
  );
}
