import { useState } from "react";
import { useLinkParams } from "./useLinkParams";

export interface SignedLink {
  readonly email: string;
  /** Unix seconds. */
  readonly expires: number;
  readonly signature: string;
}

/**
 * Reads the opening mailed link once; null if a part is missing. Its values go only to the account port, never into the
 * state.
 */
export function useSignedLink(): SignedLink | null {
  const { email, signature, expires: until } = useLinkParams();
  const [link] = useState(() => {
    const expires = Number(until);
    return email && signature && Number.isSafeInteger(expires) && expires > 0 ? { email, expires, signature } : null;
  });
  return link;
}
