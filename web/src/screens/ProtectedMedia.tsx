import { type ReactNode, useEffect } from "react";
import { Button } from "../components/basic/Button";
import { Icon } from "../components/basic/Icon";
import { Loader } from "../components/shell/Loader";
import { useTexts } from "../i18n/useTexts";
import type { MediaAddress, Protected } from "../ports/media";
import { useMediaAddress } from "./useMediaAddress";

export interface ProtectedProps {
  readonly wanted: Protected;
  /** Called when access is refused: the page's data about it are out of date. */
  readonly onRefused: () => void;
  readonly children: (address: MediaAddress, renew: () => Promise<MediaAddress>) => ReactNode;
}

/** Media that play under a personal address. */
export function ProtectedMedia({ wanted, onRefused, children }: ProtectedProps) {
  const { t } = useTexts();
  const { state, retry, renew } = useMediaAddress(wanted);
  const refused = state.at === "failed";
  useEffect(() => {
    if (refused) onRefused();
  }, [refused, onRefused]);
  if (state.at === "given") return children(state.address, renew);
  if (state.at === "asking" && state.failedAttempts < 2) return <Loader label={t("player.buffering")} />;
  return (
    <div className="player__message" role={refused ? "alert" : "status"}>
      <Icon name={refused ? "alert" : "offline"} size="large" />
      <p>{t(refused ? "player.error" : "player.missing.server")}</p>
      <Button look="chalk" icon="refresh" onClick={retry}>
        {t("player.retry")}
      </Button>
    </div>
  );
}
