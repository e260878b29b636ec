import type { ComponentProps } from "react";
import { PreferencesContext } from "../player/preferences";
import VideoPlayer from "../player/VideoPlayer";
import { ProtectedMedia, type ProtectedProps } from "./ProtectedMedia";
import { usePlayerPreferences } from "./usePlayerPreferences";

type PlayerProps = Omit<ComponentProps<typeof VideoPlayer>, "url" | "expires" | "renew">;

/** A video with its player, under its public address or a personal one. */
export default function ProtectedVideo({
  url,
  wanted,
  onRefused,
  ...player
}: PlayerProps & Omit<ProtectedProps, "children"> & { readonly url: string | null }) {
  const preferences = usePlayerPreferences();
  return (
    <PreferencesContext.Provider value={preferences}>
      {url !== null ? (
        <VideoPlayer key={url} url={url} {...player} />
      ) : (
        <ProtectedMedia wanted={wanted} onRefused={onRefused}>
          {(address, renew) => <VideoPlayer {...player} url={address.url} expires={address.expires} renew={renew} />}
        </ProtectedMedia>
      )}
    </PreferencesContext.Provider>
  );
}
