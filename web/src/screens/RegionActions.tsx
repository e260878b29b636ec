import { Button, ButtonLink } from "../components/basic/Button";
import { useTexts } from "../i18n/useTexts";
import { linkTo } from "../navigation";
import { type Query, queryActions } from "../slices/queries";
import { useAppDispatch } from "./state";

const GEO: Query = { method: "api.getGeo", args: {} };

/** Links for content that is blocked in the viewer's region: other events, and a new check. */
export function RegionActions({ onCheck }: { readonly onCheck: () => void }) {
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  const check = () => {
    dispatch(queryActions.retryPressed(GEO));
    onCheck();
  };
  return (
    <div className="stack stack--tight">
      <ButtonLink to={linkTo("events")}>{t("region.wayOn")}</ButtonLink>
      <Button look="quiet" icon="refresh" onClick={check}>
        {t("buy.checkAgain")}
      </Button>
    </div>
  );
}
