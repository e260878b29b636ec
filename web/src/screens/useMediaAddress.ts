import { useCallback, useContext, useEffect, useState } from "react";
import { PortError } from "../ports/error";
import { type MediaAddress, MediaContext, type Protected } from "../ports/media";

/** How far asking for an address has come. */
export type AddressState =
  | { readonly at: "asking" }
  | { readonly at: "given"; readonly address: MediaAddress }
  | { readonly at: "failed"; readonly error: PortError };

const ASKING: AddressState = { at: "asking" };

const failure = (error: unknown): PortError =>
  error instanceof PortError ? error : new PortError({ code: "media", message: String(error), retryable: true });

/** Asks for an address of something protected, which lives in the player alone; and how to get another. */
export function useMediaAddress(wanted: Protected): {
  readonly state: AddressState;
  readonly retry: () => void;
  readonly renew: () => Promise<MediaAddress>;
} {
  const media = useContext(MediaContext);
  const [state, setState] = useState<AddressState>(ASKING);
  const [asked, setAsked] = useState(0);
  const { kind, id } = wanted;
  const mediaId = wanted.kind === "event" ? wanted.media_id : null;

  const renew = useCallback(async (): Promise<MediaAddress> => {
    if (media === null) throw new Error("the page has no media port");
    return media.address(kind === "event" ? { kind, id, media_id: mediaId ?? 0 } : { kind: "vod", id });
  }, [media, kind, id, mediaId]);

  // oxlint-disable-next-line react/exhaustive-effect-dependencies -- `asked` asks anew.
  useEffect(() => {
    let left = false;
    renew().then(
      (address) => {
        if (!left) setState({ at: "given", address });
      },
      (error: unknown) => {
        if (!left) setState({ at: "failed", error: failure(error) });
      },
    );
    return () => {
      left = true;
    };
  }, [renew, asked]);

  const retry = useCallback(() => {
    setState(ASKING);
    setAsked((times) => times + 1);
  }, []);
  return { state, retry, renew };
}
