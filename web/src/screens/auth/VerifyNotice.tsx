import { useTranslation } from "react-i18next";
import { ButtonLink } from "../../components/Button";
import { linkTo } from "../../navigation";
import { AuthPage } from "./AuthPage";

/** Says that a link was mailed. */
export function Component() {
  const { t } = useTranslation();
  return (
    <AuthPage title={t("verify.noticeTitle")} text={t("verify.notice")}>
      <ButtonLink look="primary" size="big" block to={linkTo("home")}>
        {t("notFound.home")}
      </ButtonLink>
    </AuthPage>
  );
}
