import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { Button } from "../basic/Button";
import { Icon } from "../basic/Icon";
import { useNow } from "../basic/now";
import "./OfflineBanner.css";

interface OfflineBannerProps {
  /** The browser reports a network, and the channel doesn't answer. */
  readonly unreachable: boolean;
  /** Time of the last update in Unix milliseconds; null if unknown. */
  readonly updatedAt: number | null;
  readonly onRetry: () => void;
}

/** Says that the page is offline, or its channel unreachable, and how old its data is. */
export function OfflineBanner({ unreachable, updatedAt, onRetry }: OfflineBannerProps) {
  const { t } = useTexts();
  const formats = useFormats();
  // The page's clock may be up to a minute behind the last update.
  const now = Math.max(useNow(60_000), updatedAt ?? 0);
  const when = (at: number) => {
    const apart = formats.daysApart(now, at);
    const day = apart === 0 ? t("day.today") : apart === -1 ? t("day.yesterday") : formats.longDay(at);
    return `${day.toLocaleLowerCase()} ${formats.time(at)}`;
  };
  return (
    <div className="offline-banner" role="status">
      <div className="wrap offline-banner__row">
        <Icon name="offline" />
        <p className="offline-banner__text">
          <b>{t(unreachable ? "offline.unreachable" : "offline.title")}</b>{" "}
          {updatedAt === null
            ? t("offline.never")
            : t("offline.updated", { when: when(updatedAt), ago: formats.relative(now, updatedAt) })}
        </p>
        <Button look="quiet" icon="refresh" onClick={onRetry}>
          {t("offline.retry")}
        </Button>
      </div>
    </div>
  );
}
