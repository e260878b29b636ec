import { useLocation, useParams } from "react-router";
import { ButtonLink } from "../../components/basic/Button";
import { Loader } from "../../components/shell/Loader";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { selectLoggedIn } from "../../slices/auth";
import { selectSettings } from "../../slices/catalogue";
import { selectCapabilities, selectGeoBlocked } from "../../slices/user";
import { selectVodItem } from "../../slices/vod";
import { SourceClips } from "../clips/SourceClips";
import { useClipMaker } from "../clips/useClipMaker";
import { FailedRead } from "../FailedRead";
import { Missing } from "../Missing";
import { useAppSelector } from "../state";
import { useRead } from "../useRead";
import { VideoPage } from "./VideoPage";
import { vodPicture, vodPreview } from "./vodView";

const CATEGORIES = { method: "api.listVodCategories", args: {} } as const;

/** A video of the library (VOD). */
export function Component() {
  const { t } = useTexts();
  const formats = useFormats();
  const { pathname } = useLocation();
  const id = Number(useParams().id);
  const { at, missing, retry } = useRead({ method: "api.getVodItem", args: { id } });
  // Categories are only needed to report viewing (ANA-2).
  useRead(CATEGORIES);
  const item = useAppSelector(selectVodItem(id));
  const loggedIn = useAppSelector(selectLoggedIn);
  const geoBlocked = useAppSelector(selectGeoBlocked);
  const { clipping, vod_media } = useAppSelector(selectCapabilities);
  const publicOfPaid = useAppSelector(selectSettings)?.clips?.public_of_paid === true;
  const maker = useClipMaker();
  const back = (
    <ButtonLink look="quiet" icon="chevronLeft" className="buy__back" to={linkTo("vodLibrary")}>
      {t("library.back")}
    </ButtonLink>
  );
  if (!item) {
    return (
      <div className="wrap">
        {at === "failed" && !missing ? (
          <FailedRead onRetry={retry} />
        ) : at === "loaded" || missing ? (
          <Missing title={t("library.missing")}>{back}</Missing>
        ) : (
          <Loader label={t("common.loading")} />
        )}
      </div>
    );
  }
  const blocked = item.is_geo_blocked || geoBlocked;
  const mayClip = clipping && item.has_access && !blocked && item.media?.is_clippable === true;
  const register = item.access_type === "register" || item.access_type === "free";
  return (
    <VideoPage
      key={id}
      back={<div>{back}</div>}
      label={formats.date(Date.parse(item.date))}
      title={item.title}
      about={item.description !== "" && <p className="muted reading">{item.description}</p>}
      picture={vodPicture(item)}
      url={item.has_access && !blocked ? (item.media?.url ?? null) : null}
      isProtected={item.has_access && !blocked && item.media?.is_protected === true}
      playable={{ kind: "vod", id: item.id, stream_id: item.media?.id ?? item.id, stream_type: "vod" }}
      playLabel={t("library.watch")}
      instead={
        blocked ? (
          <p className="stage__words" role="status">
            {t("event.blocked")}
          </p>
        ) : loggedIn && !vod_media ? (
          <ButtonLink look="chalk" to={linkTo("contacts")}>
            {t("info.contacts")}
          </ButtonLink>
        ) : loggedIn ? (
          <ButtonLink look="chalk" to={linkTo("packages")}>
            {t("list.seePackages")}
          </ButtonLink>
        ) : (
          <ButtonLink look="chalk" capitals to={linkTo(register ? "registration" : "login")} state={{ from: pathname }}>
            {register ? t("event.registerToWatch") : t("event.loginToWatch")}
          </ButtonLink>
        )
      }
      onRefused={retry}
      onClip={mayClip ? maker.ask : undefined}
      range={maker.range}
      beside={
        mayClip &&
        item.media &&
        maker.panel({
          source: { vod_id: item.id },
          mediaId: item.media.id,
          whole: item.media.duration_s,
          mayPublish: register || publicOfPaid,
        })
      }
      preview={blocked ? null : vodPreview(item)}
      below={<SourceClips source={{ kind: "vod", id: item.id }} />}
      acts={
        !item.has_access &&
        !blocked &&
        loggedIn && <p className="muted">{t(vod_media ? "library.bySubscription" : "library.notAllowed")}</p>
      }
    />
  );
}
