import { useTexts } from "../../i18n/useTexts";
import "./Loader.css";

/** Shown while a page loads and there is nothing else to show. */
export function Loader({ label }: { readonly label?: string }) {
  const { t } = useTexts();
  return (
    <div className="loader" role="status">
      <p className="loader__words">{label ?? t("loader.label")}</p>
      <div className="loader__line" aria-hidden="true">
        <span className="loader__run" />
      </div>
    </div>
  );
}
