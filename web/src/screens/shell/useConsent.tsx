import { useState } from "react";
import { Button } from "../../components/basic/Button";
import type { ToastView } from "../../components/shell/Toasts";
import { useTexts } from "../../i18n/useTexts";
import { analyticsActions, selectConsentNeeded, selectConsentSettled } from "../../slices/analytics";
import { useAppDispatch, useAppSelector } from "../state";

export const CONSENT = "consent";

/** The analytics consent prompt (ANA-7). If postponed, it appears again on the next page load. */
export function useConsent(): { readonly view: ToastView | null; readonly postpone: () => void } {
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  const isNeeded = useAppSelector(selectConsentNeeded);
  const [postponed, setPostponed] = useState(false);
  const postpone = () => setPostponed(true);
  if (!isNeeded || postponed) return { view: null, postpone };
  const action = (
    <>
      <Button look="quiet" onClick={() => dispatch(analyticsActions.consentGiven())}>
        {t("consent.allow")}
      </Button>
      <Button look="quiet" onClick={() => dispatch(analyticsActions.consentRefused())}>
        {t("consent.refuse")}
      </Button>
    </>
  );
  return { view: { id: CONSENT, type: "info", text: t("consent.question"), action }, postpone };
}

/** The footer's control to change the consent; undefined if the viewer wasn't asked. */
export function useConsentChange(): { readonly label: string; readonly onChange: () => void } | undefined {
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  const settled = useAppSelector(selectConsentSettled);
  if (settled === null) return undefined;
  const [label, action] =
    settled === "given"
      ? [t("consent.withdraw"), analyticsActions.consentRefused]
      : [t("consent.give"), analyticsActions.consentGiven];
  return { label, onChange: () => dispatch(action()) };
}
