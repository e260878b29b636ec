import { useCallback, useContext, useEffect, useState } from "react";
import { type BackoffBounds, backoffCeiling } from "../lib/backoff";
import { isRefusal, PortError } from "../ports/error";
import { type MediaAddress, MediaContext, type Protected } from "../ports/media";

/** Delays between two attempts, in milliseconds. */
const WAITS: BackoffBounds = { base: 500, cap: 2_000 };

/** The status of a media address request. */
export type AddressState =
  /** `failedAttempts`: number of attempts without a response. */
  | { readonly at: "asking"; readonly failedAttempts: number }
  | { readonly at: "given"; readonly address: MediaAddress }
  | { readonly at: "failed"; readonly error: PortError };

const ASKING: AddressState = { at: "asking", failedAttempts: 0 };

const failure = (error: unknown): PortError =>
  error instanceof PortError ? error : new PortError({ code: "media", message: String(error), retryable: true });

/** Requests an address of protected media, which only the player stores, and provides a way to renew it. */
export function useMediaAddress(wanted: Protected): {
  readonly state: AddressState;
  readonly retry: () => void;
  readonly renew: () => Promise<MediaAddress>;
} {
  const media = useContext(MediaContext);
  const [state, setState] = useState<AddressState>(ASKING);
  const [attempt, setAttempt] = useState(0);
  const { kind, id } = wanted;
  const mediaId = wanted.kind === "event" ? wanted.media_id : null;

  const renew = useCallback(async (): Promise<MediaAddress> => {
    if (media === null) throw new Error("the page has no media port");
    return media.address(kind === "event" ? { kind, id, media_id: mediaId ?? 0 } : { kind: "vod", id });
  }, [media, kind, id, mediaId]);

  // oxlint-disable-next-line react/exhaustive-effect-dependencies -- Another attempt sends another request.
  useEffect(() => {
    let isUnmounted = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let failedAttempts = 0;
    const request = () => {
      clearTimeout(timer);
      renew().then(
        (address) => {
          if (!isUnmounted) setState({ at: "given", address });
        },
        (thrown: unknown) => {
          if (isUnmounted) return;
          const error = failure(thrown);
          if (isRefusal(error)) return setState({ at: "failed", error });
          // The channel is unreachable: retried until it responds.
          failedAttempts += 1;
          setState({ at: "asking", failedAttempts });
          timer = setTimeout(request, backoffCeiling(failedAttempts - 1, WAITS) * (0.7 + 0.3 * Math.random()));
        },
      );
    };
    const online = () => failedAttempts > 0 && request();
    request();
    window.addEventListener("online", online);
    return () => {
      isUnmounted = true;
      clearTimeout(timer);
      window.removeEventListener("online", online);
    };
  }, [renew, attempt]);

  const retry = useCallback(() => {
    setState(ASKING);
    setAttempt((times) => times + 1);
  }, []);
  return { state, retry, renew };
}
