import type { ComponentProps } from "react";
import { PreferencesContext } from "../player/preferences";
import VideoPlayer from "../player/VideoPlayer";
import { ProtectedMedia, type ProtectedProps } from "./ProtectedMedia";
import { usePlayerPreferences } from "./usePlayerPreferences";

/** The viewer lost access, or the channel removed the event or video. */
const REREAD: ReadonlySet<number> = new Set([403, 404, 410]);

type PlayerProps = Omit<ComponentProps<typeof VideoPlayer>, "url" | "expires" | "renew">;

/** A video with its player, under its public address or a personal one. */
export default function ProtectedVideo({
  url,
  wanted,
  onRefused,
  onEvent,
  ...player
}: PlayerProps & Omit<ProtectedProps, "children"> & { readonly url: string | null }) {
  const preferences = usePlayerPreferences();
  /** The same public address, while its event or video is read again: it may be gone or no longer free. */
  const reread = (address: string) => {
    onRefused();
    return Promise.resolve({ url: address, expires: null });
  };
  const report: typeof onEvent = (fact) => {
    onEvent?.(fact);
    if (fact.kind === "failed" && REREAD.has(fact.status ?? 0)) onRefused();
  };
  return (
    <PreferencesContext.Provider value={preferences}>
      {url !== null ? (
        <VideoPlayer key={url} url={url} renew={() => reread(url)} onEvent={report} {...player} />
      ) : (
        <ProtectedMedia wanted={wanted} onRefused={onRefused}>
          {(address, renew) => (
            <VideoPlayer {...player} onEvent={report} url={address.url} expires={address.expires} renew={renew} />
          )}
        </ProtectedMedia>
      )}
    </PreferencesContext.Provider>
  );
}
