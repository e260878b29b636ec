import { useContext, useEffect, useState } from "react";
import { Button, ButtonLink } from "../../components/basic/Button";
import { useChannelClock } from "../../components/basic/now";
import { FormAlert } from "../../components/form/FormAlert";
import { Loader } from "../../components/shell/Loader";
import { sentence } from "../../i18n/sentence";
import { useTexts } from "../../i18n/useTexts";
import { SECOND } from "../../lib/time";
import { linkTo } from "../../navigation";
import { type DeviceCode, DeviceContext } from "../../ports/device";
import { PortError } from "../../ports/error";
import { loginActions, selectAuthenticating } from "../../slices/login";
import { selectOnline } from "../../slices/network";
import { useAppDispatch, useAppSelector } from "../state";
import { useAccount } from "../useAccount";
import { AuthPage } from "./AuthPage";
import "./DeviceCode.css";

/** Interval between checks whether the code was entered. */
const POLL_INTERVAL = 4 * SECOND;

/** The sign-in page of a television: a code to enter on another device (AUTH-5). */
export function Component() {
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  const account = useAccount();
  const port = useContext(DeviceContext);
  const now = useChannelClock();
  const online = useAppSelector(selectOnline);
  const busy = useAppSelector(selectAuthenticating);
  const [code, setCode] = useState<DeviceCode | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  /** Number of requested codes. */
  const [round, setRound] = useState(0);
  useEffect(() => {
    let isOver = false;
    const update = (next: DeviceCode | null, why: string | null) => {
      if (isOver) return;
      setCode(next);
      setFailure(why);
    };
    port?.code().then(
      (next) => update(next, null),
      (error: unknown) => update(null, error instanceof PortError ? error.message : ""),
    );
    return () => {
      isOver = true;
    };
  }, [port, round]);
  useEffect(() => {
    if (code === null || busy || !online) return;
    const lifetime = code.expires - now();
    // Requests the next code before this one expires, so that nobody types an expiring code.
    const timer =
      lifetime < 2 * POLL_INTERVAL
        ? setTimeout(() => setRound(round + 1), Math.max(0, lifetime - POLL_INTERVAL))
        : setTimeout(
            () => dispatch(loginActions.submitted({ way: "device", handle: account.hold({}) })),
            POLL_INTERVAL,
          );
    return () => clearTimeout(timer);
  }, [code, busy, online, round, dispatch, account, now]);
  const address = `${window.location.host}${linkTo("addSession")}`;
  return (
    <AuthPage title={t("device.onThis")}>
      {failure !== null ? (
        <FormAlert refusal={failure}>{sentence(t, failure)}</FormAlert>
      ) : code === null ? (
        <Loader label={t("common.loading")} />
      ) : (
        <>
          <ol className="device-code__steps">
            <li>{t("device.step1", { place: address })}</li>
            <li>{t("device.step2")}</li>
          </ol>
          <p className="device-code figures" aria-label={t("device.yourCode", { code: [...code.code].join(" ") })}>
            {code.code}
          </p>
          <p className="muted" role="status">
            {t(online ? "device.waits" : "offline.needsConnection")}
          </p>
        </>
      )}
      <Button size="big" block onClick={() => setRound(round + 1)}>
        {t("device.newCode")}
      </Button>
      <ButtonLink look="quiet" block to={linkTo("login")}>
        {t("device.withPassword")}
      </ButtonLink>
    </AuthPage>
  );
}
