import { useState } from "react";
import { useLinkParams } from "./useLinkParams";

/** What a mailed link carries. */
export interface SignedLink {
  readonly email: string;
  /** Unix seconds. */
  readonly expires: number;
  readonly signature: string;
}

/**
 * Reads the mailed link that opened this page, once, and null when a part is missing. What is read stays out of the
 * state: it goes to the account port alone.
 */
export function useSignedLink(): SignedLink | null {
  const { email, signature, expires: until } = useLinkParams();
  const [link] = useState(() => {
    const expires = Number(until);
    return email && signature && Number.isSafeInteger(expires) && expires > 0 ? { email, expires, signature } : null;
  });
  return link;
}
