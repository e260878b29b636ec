import type { ReactNode } from "react";
import type { Floor } from "../../components/picture/floor";
import { Scene } from "../../components/picture/Scene";
import { Loader } from "../../components/shell/Loader";
import { useTexts } from "../../i18n/useTexts";
import { selectSettings } from "../../slices/catalogue";
import { selectLoaderVisible } from "../../slices/loader";
import { OnceReady } from "../OnceReady";
import { useDocumentTitle } from "../shell/useDocumentTitle";
import { useAppSelector } from "../state";
import "./AuthPage.css";

interface AuthPageProps {
  readonly title: string;
  readonly text?: string;
  readonly children: ReactNode;
  /** Text on the picture; decorative. */
  readonly slogan?: string;
  readonly floor?: Floor;
}

/** An authentication page: its form, with a picture beside it on wide screens. */
export function AuthPage({ title, text, children, slogan, floor = "basketball" }: AuthPageProps) {
  const { t } = useTexts();
  const settings = useAppSelector(selectSettings);
  const isStarting = useAppSelector(selectLoaderVisible);
  useDocumentTitle(title);
  return (
    <div className="auth-page">
      <div className="auth-page__column">
        <div className="stack stack--tight">
          <h1 className="type-page">{title}</h1>
          {text !== undefined && <p className="muted">{text}</p>}
        </div>
        {/* Social logins, which are above the form, are in the settings. */}
        <OnceReady ready={settings !== null || !isStarting} fallback={<Loader label={t("common.loading")} />}>
          {children}
        </OnceReady>
      </div>
      <div className="auth-page__picture" aria-hidden="true">
        <Scene
          floor={floor}
          away={floor === "basketball" ? "#0d6f72" : "#c07a1c"}
          home={floor === "basketball" ? "#1f4a8a" : "#7a1937"}
          {...(floor === "basketball" ? {} : { ground: "#1d5a3c" })}
          boards={settings?.name ?? ""}
        />
        {slogan !== undefined && <p className="type-fixture auth-page__slogan">{slogan}</p>}
      </div>
    </div>
  );
}
