import { Link } from "react-router";
import { Phrase } from "../../components/text/Phrase";
import { useTexts } from "../../i18n/useTexts";
import { linkTo, type RouteName } from "../../navigation";

/** Terms to accept on registration. Their pages open in a new tab, so the form keeps its input. */
export function TermsPhrase() {
  const { t } = useTexts();
  const page = (name: RouteName) => (words: string) => (
    <Link className="link" to={linkTo(name)} target="_blank">
      {words}
    </Link>
  );
  return <Phrase text={t("auth.terms")} parts={{ terms: page("termsConditions"), privacy: page("privacyPolicy") }} />;
}
