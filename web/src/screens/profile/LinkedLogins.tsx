import { Button } from "../../components/basic/Button";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { deviceActions, selectLinkedLogins } from "../../slices/devices";
import { useAppDispatch, useAppSelector } from "../state";

/** Connected accounts that can be removed (AUTH-9). */
export function LinkedLogins() {
  const { t } = useTexts();
  const formats = useFormats();
  const dispatch = useAppDispatch();
  const logins = useAppSelector(selectLinkedLogins);
  if (logins.length === 0) return null;
  return (
    <section aria-labelledby="linked-logins">
      <h2 className="type-section" id="linked-logins">
        {t("logins.title")}
      </h2>
      <p className="muted">{t("logins.text")}</p>
      <ul>
        {logins.map(({ id, name, provider = name, created_at }) => {
          const label = provider === "google" ? t("auth.google") : provider === "facebook" ? t("auth.facebook") : name;
          return (
            <li key={provider} className="devices__device">
              <p>
                {label}
                <br />
                <span className="type-meta muted">
                  {t("logins.since", { date: formats.shortDate(Date.parse(created_at)) })}
                </span>
              </p>
              <Button
                size="small"
                label={t("logins.removeNamed", { name: label })}
                onClick={() => dispatch(deviceActions.unlinkPressed({ id, provider }))}
              >
                {t("logins.remove")}
              </Button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
