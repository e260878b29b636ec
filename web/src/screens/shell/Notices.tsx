import { useContext, useEffect, useState, useSyncExternalStore } from "react";
import { Button } from "../../components/basic/Button";
import { Toasts, type ToastView } from "../../components/shell/Toasts";
import { sentence } from "../../i18n/sentence";
import { useTexts } from "../../i18n/useTexts";
import { SiteContext } from "../../ports/site";
import { selectToasts, toastActions } from "../../slices/toast";
import { useAppDispatch, useAppSelector } from "../state";
import { offerUndo, useUndoOffer } from "../undo";
import { CONSENT, useConsent } from "./useConsent";
import { INSTALL, useInstall } from "./useInstall";

const UPDATE = "update";
const UNDO = "undo";
/** Time to undo a removal, in milliseconds; extended while the viewer hovers or focuses the notice. */
const UNDO_TIME = 8_000;
const never = () => () => undefined;

/** A new build that waits for the viewer's consent, so that it never interrupts them. */
function useUpdate(): ToastView | null {
  const { t } = useTexts();
  const site = useContext(SiteContext);
  const waiting = useSyncExternalStore(site?.subscribe ?? never, site?.updateWaiting ?? (() => false));
  if (!site || !waiting) return null;
  return {
    id: UPDATE,
    type: "info",
    text: t("update.ready"),
    action: (
      <Button look="quiet" onClick={site.activateUpdate}>
        {t("update.reload")}
      </Button>
    ),
  };
}

/** The last removal, with an undo button. */
function useUndo(): { readonly view: ToastView | null; readonly hold: (held: boolean) => void } {
  const { t } = useTexts();
  const offer = useUndoOffer();
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (offer === null || held) return;
    const timer = setTimeout(() => offerUndo(null), UNDO_TIME);
    return () => clearTimeout(timer);
  }, [offer, held]);
  // A notice that disappears under the pointer fires no leave event.
  if (offer === null && held) setHeld(false);
  if (offer === null) return { view: null, hold: () => undefined };
  const { text, undo } = offer;
  const takeBack = () => {
    offerUndo(null);
    undo();
  };
  const action = (
    <Button look="quiet" onClick={takeBack}>
      {t("toast.undo")}
    </Button>
  );
  return { view: { id: UNDO, type: "info", text, action }, hold: setHeld };
}

/** All notices of the site. */
export function Notices() {
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  const toasts = useAppSelector(selectToasts);
  const update = useUpdate();
  const undo = useUndo();
  const consent = useConsent();
  const install = useInstall();
  const [postponed, setPostponed] = useState(false);
  const notices: readonly ToastView[] = [
    ...toasts.map((toast) => ({ ...toast, text: sentence(t, toast.text) })),
    ...(undo.view ? [undo.view] : []),
    ...(update && !postponed ? [update] : []),
    ...(consent.view ? [consent.view] : []),
    ...(install.view ? [install.view] : []),
  ];
  return (
    <Toasts
      toasts={notices}
      onDismiss={(id) => {
        if (id === UPDATE) setPostponed(true);
        else if (id === UNDO) offerUndo(null);
        else if (id === CONSENT) consent.postpone();
        else if (id === INSTALL) install.decline();
        else dispatch(toastActions.closed({ id }));
      }}
      onHold={(id, held) => {
        if (id === UNDO) undo.hold(held);
        else if (id !== UPDATE && id !== CONSENT && id !== INSTALL)
          dispatch(held ? toastActions.held({ id }) : toastActions.released({ id }));
      }}
    />
  );
}
