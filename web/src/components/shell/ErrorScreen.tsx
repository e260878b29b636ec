import type { ReactNode } from "react";
import { useTexts } from "../../i18n/useTexts";
import { Button } from "../basic/Button";
import { Touchline } from "../basic/Touchline";
import { Brand, type BrandView } from "./Brand";
import "./ErrorScreen.css";

interface ErrorScreenProps {
  readonly brand: BrandView;
  /** Seconds until the button is enabled; 0 if it is. */
  readonly left: number;
  /** The whole wait in seconds. */
  readonly wait: number;
  readonly onReload: () => void;
  /** Further actions. */
  readonly children?: ReactNode;
}

/** The page when the channel could not be opened: the line drains, then Reload is enabled. */
export function ErrorScreen({ brand, left, wait, onReload, children }: ErrorScreenProps) {
  const { t } = useTexts();
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
          aria-valuemax={wait}
          aria-valuenow={left}
        >
          <Touchline state={{ kind: "draining", left: left / wait }} thick />
        </div>
        <div className="error-screen__act">
          <Button
            look="primary"
            size="big"
            className="error-screen__reload figures"
            disabled={left > 0}
            onClick={onReload}
          >
            {left > 0 ? t("errorScreen.wait", { seconds: left }) : t("errorScreen.reload")}
          </Button>
          {left > 0 && <p className="type-meta muted error-screen__why">{t("errorScreen.why")}</p>}
          {children}
        </div>
      </div>
    </main>
  );
}
