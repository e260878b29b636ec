import { useContext, useEffect, useState, useSyncExternalStore } from "react";
import { useLocation } from "react-router";
import { Button } from "../../components/basic/Button";
import type { ToastView } from "../../components/shell/Toasts";
import { useTexts } from "../../i18n/useTexts";
import { SiteContext } from "../../ports/site";
import { selectLoggedIn } from "../../slices/auth";
import { selectSettings } from "../../slices/catalogue";
import { preferencesActions, selectPreference } from "../../slices/preferences";
import { useAppDispatch, useAppSelector } from "../state";

/** Id of the install offer, among notices and preferences. */
export const INSTALL = "install";
const never = () => () => undefined;

/**
 * The offer to install the site (PWA-2): for signed-in viewers, on the home page, during one visit only, until it is
 * accepted or dismissed.
 */
export function useInstall(): { readonly view: ToastView | null; readonly decline: () => void } {
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  const install = useContext(SiteContext)?.install;
  const installable = useSyncExternalStore(install?.subscribe ?? never, install?.installable ?? (() => false));
  const { pathname } = useLocation();
  const canOfferInstall = useAppSelector(selectLoggedIn) && pathname === "/";
  const offered = useAppSelector(selectPreference(INSTALL)) !== null;
  const app = useAppSelector(selectSettings)?.short_name;
  const [stage, setStage] = useState<"before" | "now" | "after">("before");
  const isDue = installable && canOfferInstall && !offered && stage === "before";
  if (isDue) setStage("now");
  useEffect(() => {
    if (stage === "now") dispatch(preferencesActions.chose({ name: INSTALL, value: "offered" }));
  }, [stage, dispatch]);
  const decline = () => setStage("after");
  if (!install || !installable || !canOfferInstall || stage !== "now") return { view: null, decline };
  const take = () => {
    decline();
    install.install();
  };
  const action = (
    <Button look="quiet" onClick={take}>
      {t("install.take")}
    </Button>
  );
  return { view: { id: INSTALL, type: "info", text: t("install.offer", { app: app ?? "" }), action }, decline };
}
