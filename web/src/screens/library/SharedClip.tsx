import { useParams } from "react-router";
import { ButtonLink } from "../../components/basic/Button";
import { Empty } from "../../components/basic/Empty";
import { Loader } from "../../components/shell/Loader";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { selectClip } from "../../slices/clips";
import { FailedRead } from "../FailedRead";
import { Missing } from "../Missing";
import { RegionActions } from "../RegionActions";
import { useAppSelector } from "../state";
import { useRead } from "../useRead";
import { ClipPage } from "./ClipPage";

/** A shared clip: anyone with the link can watch it (CLIP-3). */
export function Component() {
  const { t } = useTexts();
  const { id: idText, uuid = "" } = useParams();
  const id = Number(idText);
  const { at, missing, blocked, retry } = useRead({ method: "api.getSharedClip", args: { id, uuid } });
  const clip = useAppSelector(selectClip(id));
  const home = <ButtonLink to={linkTo("home")}>{t("notFound.home")}</ButtonLink>;
  // A cached clip may have been deleted.
  if (clip && clip.uuid === uuid && !missing)
    return <ClipPage clip={clip} label={t("clips.shared")} back={null} onRefused={retry} acts={<div>{home}</div>} />;
  if (blocked)
    return (
      <div className="wrap section">
        <Empty title={t("event.blocked")}>
          <RegionActions onCheck={retry} />
        </Empty>
      </div>
    );
  if (at === "failed" && !missing)
    return (
      <div className="wrap">
        <FailedRead onRetry={retry} />
      </div>
    );
  return (
    <div className="wrap">
      {at === "loaded" || missing ? (
        <Missing title={t("library.missing")}>{home}</Missing>
      ) : (
        <Loader label={t("common.loading")} />
      )}
    </div>
  );
}
