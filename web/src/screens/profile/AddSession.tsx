import { zodResolver } from "@hookform/resolvers/zod";
import { useForm } from "react-hook-form";
import { Chip } from "../../components/basic/Badge";
import { Button } from "../../components/basic/Button";
import { Notice } from "../../components/basic/Notice";
import { Field } from "../../components/form/Field";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { deviceActions, selectDevices } from "../../slices/devices";
import { FormFrame } from "../auth/FormFrame";
import { deviceCode } from "../auth/schemas";
import { useAccountForm } from "../auth/useAccountForm";
import { useErrorText } from "../auth/useErrorText";
import { useAppDispatch, useAppSelector } from "../state";
import { useAccount } from "../useAccount";
import { useRead } from "../useRead";
import { deviceName } from "./deviceName";
import { LinkedLogins } from "./LinkedLogins";
import { ProfilePage } from "./ProfilePage";

/** Links a device by its code, and lists linked devices and connected accounts (AUTH-5, AUTH-9). */
export function Component() {
  const { t } = useTexts();
  const formats = useFormats();
  const dispatch = useAppDispatch();
  const account = useAccount();
  const { at, refusal, submit } = useAccountForm("addSession");
  const form = useForm({ resolver: zodResolver(deviceCode), shouldFocusError: false, defaultValues: { code: "" } });
  const errorText = useErrorText();
  const { errors } = form.formState;
  useRead({ method: "api.listSessions", args: {} });
  const devices = useAppSelector(selectDevices);
  return (
    <ProfilePage title={t("profile.device")}>
      <div className="narrow-form stack">
        <h2 className="type-section">{t("device.title")}</h2>
        <p className="muted">{t("device.text")}</p>
        {at === "done" && (
          <Notice tone="success" alert>
            {t("device.done")}
          </Notice>
        )}
        <FormFrame
          form={form}
          refusal={refusal}
          submit={t("device.link")}
          busy={at === "sending"}
          onSubmit={(values) => submit(account.hold(values))}
        >
          <Field
            {...form.register("code")}
            label={t("device.code")}
            autoComplete="one-time-code"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={16}
            error={errorText(errors.code)}
          />
        </FormFrame>
      </div>
      {devices.length > 0 && (
        <section aria-labelledby="devices">
          <h2 className="type-section" id="devices">
            {t("device.linked")}
          </h2>
          <ul>
            {devices.map((device) => (
              <li key={device.id} className="devices__device">
                <p>
                  {deviceName(device.name)}
                  <br />
                  <span className="type-meta muted">
                    {t("device.seen", { date: formats.shortDate(Date.parse(device.last_seen_at)) })}
                  </span>
                </p>
                {device.current ? (
                  <Chip icon="check">{t("device.current")}</Chip>
                ) : (
                  <Button size="small" onClick={() => dispatch(deviceActions.revokePressed({ id: device.id }))}>
                    {t("device.revoke")}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
      <LinkedLogins />
    </ProfilePage>
  );
}
