import { useTexts } from "../../i18n/useTexts";
import type { Protected } from "../../ports/media";
import { ProtectedMedia } from "../ProtectedMedia";

/** Another site's player. */
export function Embedded({
  url,
  wanted,
  onRefused,
}: {
  readonly url: string | null;
  readonly wanted: Protected;
  readonly onRefused: () => void;
}) {
  const { t } = useTexts();
  const frame = (src: string) => (
    <iframe
      src={src}
      title={t("player.label")}
      allow="fullscreen; picture-in-picture"
      allowFullScreen
      sandbox="allow-scripts allow-same-origin"
    />
  );
  if (url !== null) return frame(url);
  return (
    <ProtectedMedia wanted={wanted} onRefused={onRefused}>
      {(address) => frame(address.url)}
    </ProtectedMedia>
  );
}
