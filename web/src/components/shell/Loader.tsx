import { useTexts } from "../../i18n/useTexts";
import "./Loader.css";

/** Shown until start-up is done, when there is nothing to show yet: the line runs, words say what for. */
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
