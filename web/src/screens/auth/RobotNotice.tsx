import { Phrase } from "../../components/text/Phrase";
import { useTexts } from "../../i18n/useTexts";
import { selectSettings } from "../../slices/catalogue";
import { useAppSelector } from "../state";

const page = (address: string) => (words: string) => (
  <a className="link" href={address} target="_blank" rel="noreferrer">
    {words}
  </a>
);
const PARTS = {
  privacy: page("https://policies.google.com/privacy"),
  terms: page("https://policies.google.com/terms"),
};

/** The text that Google requires instead of reCAPTCHA's badge (AUTH-8). */
export function RobotNotice() {
  const { t } = useTexts();
  if (useAppSelector(selectSettings)?.recaptcha_site_key === undefined) return null;
  return (
    <p className="type-meta muted">
      <Phrase text={t("auth.robots")} parts={PARTS} />
    </p>
  );
}
