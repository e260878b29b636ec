import { Button } from "../../components/basic/Button";
import { useTexts } from "../../i18n/useTexts";
import { socialLoginPressed } from "../../slices/account";
import { selectSettings } from "../../slices/catalogue";
import { useAppDispatch, useAppSelector } from "../state";

const PROVIDERS = ["google", "facebook"] as const;

/** Buttons for the channel's social login providers (AUTH-1). */
export function SocialLogins() {
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  const offered = useAppSelector(selectSettings)?.auth.providers ?? [];
  const available = PROVIDERS.filter((provider) => offered.includes(provider));
  if (available.length === 0) return null;
  return (
    <div className="stack stack--tight">
      {available.map((provider) => (
        <Button key={provider} size="big" block onClick={() => dispatch(socialLoginPressed({ provider }))}>
          {t(`auth.${provider}`)}
        </Button>
      ))}
      <p className="type-meta muted auth-page__or">{t("auth.or")}</p>
    </div>
  );
}
