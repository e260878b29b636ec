import { useContext } from "react";
import { Button } from "../../components/basic/Button";
import { ErrorScreen } from "../../components/shell/ErrorScreen";
import { useTexts } from "../../i18n/useTexts";
import { SiteContext } from "../../ports/site";
import { type ErrorScreenState, errorScreenActions } from "../../slices/errorScreen";
import { startupActions } from "../../slices/startup";
import { useAppDispatch } from "../state";
import { useBrand } from "./useBrand";
import "../../components/shell/ErrorScreen.css";

/** Seconds before the reload button is enabled. */
const WAIT = 60;

/** The button that reports a problem, if the app supports it. */
function ReportButton() {
  const { t } = useTexts();
  const site = useContext(SiteContext);
  if (!site) return null;
  return (
    <Button look="quiet" size="big" onClick={site.reportProblem}>
      {t("footer.report")}
    </Button>
  );
}

/** The channel could not be opened: reload is available after a minute (ERR). */
export function KeyFailure({ left }: { readonly left: number }) {
  const dispatch = useAppDispatch();
  const brand = useBrand();
  return (
    <ErrorScreen brand={brand} left={left} wait={WAIT} onReload={() => dispatch(startupActions.reloadPressed())}>
      <ReportButton />
    </ErrorScreen>
  );
}

/** A request that the page depends on failed. */
export function GlobalError({ error }: { readonly error: Extract<ErrorScreenState, { at: "shown" }> }) {
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  return (
    <main className="error-screen" id="main">
      <div className="stack">
        <h1 className="type-page">{t("general.service")}</h1>
        <p className="type-lead muted">{error.message}</p>
        {error.request_id !== null && <p className="type-meta muted figures">{error.request_id}</p>}
      </div>
      <Button look="primary" size="big" icon="refresh" onClick={() => dispatch(errorScreenActions.cleared())}>
        {t("crash.again")}
      </Button>
      <ReportButton />
    </main>
  );
}

/** Replaces a screen that crashed or failed to load. */
export function Broken() {
  const { t } = useTexts();
  return (
    <div className="error-screen">
      <div className="stack" role="alert">
        <h1 className="type-page">{t("crash.title")}</h1>
        <p className="type-lead muted">{t("crash.text")}</p>
      </div>
      <Button look="primary" size="big" icon="refresh" onClick={() => window.location.reload()}>
        {t("crash.again")}
      </Button>
      <ReportButton />
    </div>
  );
}

/** The same without the site around it. */
export function Crash() {
  return (
    <main id="main">
      <Broken />
    </main>
  );
}
