import { useCallback, useContext, useEffect, useRef } from "react";
import { type GuardedForm, RobotCheckContext } from "../../ports/robots";
import { selectSettings } from "../../slices/catalogue";
import { useAppSelector } from "../state";

/**
 * Submits a form's values with a token of the channel's robot check, if it has one (AUTH-8). Without a token the form
 * is submitted anyway: the worker reports what is missing. A pending submission is dropped when the viewer leaves.
 */
export function useRobotCheck(form: GuardedForm) {
  const check = useContext(RobotCheckContext);
  const siteKey = useAppSelector(selectSettings)?.recaptcha_site_key;
  const isMounted = useRef(true);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  useEffect(() => {
    if (siteKey !== undefined) check?.prepare(siteKey);
  }, [check, siteKey]);
  return useCallback(
    async <V extends object>(values: V, send: (values: V & { recaptcha_token?: string }) => void): Promise<void> => {
      if (check === null || siteKey === undefined) return send(values);
      const token = await check.token(siteKey, form);
      if (isMounted.current) send(token === null ? values : { ...values, recaptcha_token: token });
    },
    [check, siteKey, form],
  );
}
