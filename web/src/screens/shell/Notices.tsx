import { useContext, useState, useSyncExternalStore } from "react";
import { Button } from "../../components/Button";
import { Toasts, type ToastView } from "../../components/Toasts";
import { sentence } from "../../i18n/sentence";
import { useTexts } from "../../i18n/useTexts";
import { SiteContext } from "../../ports/site";
import { selectToasts, toastActions } from "../../slices/toast";
import { useAppDispatch, useAppSelector } from "../state";

const UPDATE = "update";
const never = () => () => undefined;

/** A newer build of the site that waits for the viewer's word; it never comes by itself in the middle of something. */
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
      <Button look="quiet" onClick={site.takeUpdate}>
        {t("update.reload")}
      </Button>
    ),
  };
}

/** What the site has to say in passing. */
export function Notices() {
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  const toasts = useAppSelector(selectToasts);
  const update = useUpdate();
  const [postponed, setPostponed] = useState(false);
  const shown: readonly ToastView[] = [
    ...toasts.map((toast) => ({ ...toast, text: sentence(t, toast.text) })),
    ...(update && !postponed ? [update] : []),
  ];
  return (
    <Toasts
      toasts={shown}
      onDismiss={(id) => (id === UPDATE ? setPostponed(true) : dispatch(toastActions.closed({ id })))}
      onHold={(id, held) => {
        if (id !== UPDATE) dispatch(held ? toastActions.held({ id }) : toastActions.released({ id }));
      }}
    />
  );
}
