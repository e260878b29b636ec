import { Loader } from "../../components/shell/Loader";
import { useTexts } from "../../i18n/useTexts";
import { selectLoaderVisible } from "../../slices/loader";
import { selectAuthStep } from "../../slices/login";
import { useAppSelector } from "../state";

/** Replaces the page while the viewer is unknown, and shows the reason. */
export function Undecided() {
  const { t } = useTexts();
  const opening = useAppSelector(selectLoaderVisible);
  const step = useAppSelector(selectAuthStep);
  return <Loader label={opening || step === null ? t("loader.label") : t(`loader.${step}`)} />;
}
