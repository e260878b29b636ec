import { type ReactNode, useEffect } from "react";
import { Button } from "../components/basic/Button";
import { Icon } from "../components/basic/Icon";
import { Loader } from "../components/shell/Loader";
import { useTexts } from "../i18n/useTexts";
import type { MediaAddress, Protected } from "../ports/media";
import { useMediaAddress } from "./useMediaAddress";

export interface ProtectedProps {
  readonly wanted: Protected;
  /** The viewer may not watch (any more): what the page says of it is out of date. */
  readonly onRefused?: (() => void) | undefined;
  readonly children: (address: MediaAddress, renew: () => Promise<MediaAddress>) => ReactNode;
}

/** Something that plays under an address of the viewer's own. */
export function ProtectedMedia({ wanted, onRefused, children }: ProtectedProps) {
  const { t } = useTexts();
  const { state, retry, renew } = useMediaAddress(wanted);
  const refused = state.at === "failed";
  useEffect(() => {
    if (refused) onRefused?.();
  }, [refused, onRefused]);
  if (state.at === "given") return children(state.address, renew);
  if (state.at === "asking" && state.vain < 2) return <Loader label={t("player.buffering")} />;
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
