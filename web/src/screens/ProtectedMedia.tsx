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
  const refused = state.at === "failed" && !state.error.retryable;
  useEffect(() => {
    if (refused) onRefused?.();
  }, [refused, onRefused]);
  if (state.at === "given") return children(state.address, renew);
  if (state.at === "asking") return <Loader label={t("player.buffering")} />;
  return (
    <div className="player__message" role="alert">
      <Icon name="alert" size="large" />
      <p>{t("player.error")}</p>
      <Button look="chalk" icon="refresh" onClick={retry}>
        {t("player.retry")}
      </Button>
    </div>
  );
}
