/** Why a part of a stream did not come, or could not be shown. */
export type Fault =
  /** No answer: the network, or the server behind it, is away. */
  | { readonly cause: "unanswered" }
  /** The server answered, but not with the part. */
  | { readonly cause: "answer"; readonly status: number }
  /** The address has ended, or the viewer's right to it. */
  | { readonly cause: "address"; readonly status: number }
  /** What came is half of it, or no media at all. */
  | { readonly cause: "body" }
  /** The browser could not decode what it was given, or stopped for no reason that it tells. */
  | { readonly cause: "decoder" };

/** What the channel answers once an address has ended (MEDIA-2). */
const ENDED: ReadonlySet<number> = new Set([401, 403, 410]);

/** The fault behind a status; 0 where nothing answered. */
export function faultOf(status: number): Fault {
  if (status === 0) return { cause: "unanswered" };
  if (ENDED.has(status)) return { cause: "address", status };
  // An answer that says it is good, and is a fault all the same, has a broken body.
  return status < 400 ? { cause: "body" } : { cause: "answer", status };
}

/** The status that a fault carries, null where there was none. */
export const statusOf = (fault: Fault): number | null => ("status" in fault ? fault.status : null);
