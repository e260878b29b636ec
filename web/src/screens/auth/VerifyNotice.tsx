import { ButtonLink } from "../../components/Button";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { AuthPage } from "./AuthPage";

/** Says that a link was mailed. */
export function Component() {
  const { t } = useTexts();
  return (
    <AuthPage title={t("verify.noticeTitle")} text={t("verify.notice")}>
      <ButtonLink look="primary" size="big" block to={linkTo("home")}>
        {t("notFound.home")}
      </ButtonLink>
    </AuthPage>
  );
}
