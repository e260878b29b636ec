import { useState } from "react";
import { useSearchParams } from "react-router";

/** What a mailed link carries. */
export interface SignedLink {
  readonly email: string;
  readonly expires: string;
  readonly signature: string;
}

/**
 * Reads the mailed link that opened this page, once, and null when a part is missing. What is read stays out of the
 * state: it goes to the account port alone.
 */
export function useSignedLink(): SignedLink | null {
  const [params] = useSearchParams();
  const [link] = useState(() => {
    const [email, expires, signature] = ["email", "expires", "signature"].map((key) => params.get(key) ?? "") as [
      string,
      string,
      string,
    ];
    return email !== "" && expires !== "" && signature !== "" ? { email, expires, signature } : null;
  });
  return link;
}
