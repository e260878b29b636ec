/** The reason why part of a stream failed to load or play. */
export type Fault =
  /** No response: the network or the server is down. */
  | { readonly cause: "unanswered" }
  /** The server responded with an error. */
  | { readonly cause: "answer"; readonly status: number }
  /** The address expired, or the viewer lost access. */
  | { readonly cause: "address"; readonly status: number }
  /** The body is incomplete, or isn't media. */
  | { readonly cause: "body" }
  /** The browser failed to decode the data, or stopped without a reason. */
  | { readonly cause: "decoder" };

/** The channel's status codes for an expired address (MEDIA-2). */
const ENDED: ReadonlySet<number> = new Set([401, 403, 410]);

/** The fault for a status; 0 means no response. */
export function faultOf(status: number): Fault {
  if (status === 0) return { cause: "unanswered" };
  if (ENDED.has(status)) return { cause: "address", status };
  // A successful status with a fault has a broken body.
  return status < 400 ? { cause: "body" } : { cause: "answer", status };
}

export const statusOf = (fault: Fault): number | null => ("status" in fault ? fault.status : null);
