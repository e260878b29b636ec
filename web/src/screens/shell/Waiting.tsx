import { Notice } from "../../components/basic/Notice";
import { useTexts } from "../../i18n/useTexts";
import { selectOnline } from "../../slices/network";
import { selectWaitingCount } from "../../slices/outbox";
import { useAppSelector } from "../state";

/** The number of offline actions that wait to be sent. */
export function Waiting() {
  const { t } = useTexts();
  const online = useAppSelector(selectOnline);
  const count = useAppSelector(selectWaitingCount);
  if (online || count === 0) return null;
  return (
    <div className="wrap section">
      <Notice icon="offline">
        <b>{t("offline.waiting", { count })}</b>
        <br />
        {t("offline.waitingMore", { count })}
      </Notice>
    </div>
  );
}
