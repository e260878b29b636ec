import { useTranslation } from "react-i18next";
import { Brand, type BrandView } from "./Brand";
import { Button } from "./Button";
import { useNow } from "./now";
import { Touchline } from "./Touchline";
import "./ErrorScreen.css";

interface ErrorScreenProps {
  readonly brand: BrandView;
  /** When the reload button may be pressed, Unix milliseconds: part of the state, so that a reload does not restart it. */
  readonly until: number;
  /** How long the whole wait is, milliseconds. */
  readonly wait: number;
  readonly onReload: () => void;
}

const SECOND = 1_000;

/** The page for a site that could not open its channel: the line drains, then Reload can be pressed. */
export function ErrorScreen({ brand, until, wait, onReload }: ErrorScreenProps) {
  const { t } = useTranslation();
  const now = useNow(SECOND);
  const seconds = Math.max(0, Math.ceil((until - now) / SECOND));
  return (
    <main className="error-screen" id="main">
      <Brand brand={brand} link={false} />
      <div className="stack">
        <h1 className="type-page">{t("errorScreen.title")}</h1>
        <p className="type-lead muted">{t("errorScreen.text")}</p>
      </div>
      <div className="error-screen__wait">
        <div
          role="progressbar"
          aria-label={t("errorScreen.progress")}
          aria-valuemin={0}
          aria-valuemax={wait / SECOND}
          aria-valuenow={seconds}
        >
          <Touchline state={{ kind: "draining", left: (seconds * SECOND) / wait }} thick />
        </div>
        <div className="error-screen__act">
          <Button
            look="primary"
            size="big"
            className="error-screen__reload figures"
            disabled={seconds > 0}
            onClick={onReload}
          >
            {seconds > 0 ? t("errorScreen.wait", { seconds }) : t("errorScreen.reload")}
          </Button>
          {seconds > 0 && <p className="type-meta muted error-screen__why">{t("errorScreen.why")}</p>}
        </div>
      </div>
    </main>
  );
}
