import { Loader } from "../../components/shell/Loader";
import { useTexts } from "../../i18n/useTexts";
import { selectLoaderVisible } from "../../slices/loader";
import { selectAuthStep } from "../../slices/login";
import { useAppSelector } from "../state";

/** Stands in the place of a page while nobody knows who the viewer is, and says what that waits for. */
export function Undecided() {
  const { t } = useTexts();
  const opening = useAppSelector(selectLoaderVisible);
  const step = useAppSelector(selectAuthStep);
  return <Loader label={opening || step === null ? t("loader.label") : t(`loader.${step}`)} />;
}
