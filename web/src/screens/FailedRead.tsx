import { Button } from "../components/basic/Button";
import { Empty } from "../components/basic/Empty";
import { useTexts } from "../i18n/useTexts";
import { selectOnline } from "../slices/network";
import { useAppSelector } from "./state";

/** A failed load with its likely reason and a retry button. Offline, the banner above says so. */
export function FailedRead({ onRetry }: { readonly onRetry: () => void }) {
  const { t } = useTexts();
  const online = useAppSelector(selectOnline);
  return (
    <div className="section">
      <Empty
        title={online ? t("crash.title") : t("offline.missing")}
        text={online ? t("general.wrong") : t("offline.missingText")}
      >
        <Button icon="refresh" onClick={onRetry}>
          {t("common.retry")}
        </Button>
      </Empty>
    </div>
  );
}
