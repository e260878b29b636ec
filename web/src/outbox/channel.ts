import type { Id } from "../contracts/resources";
import type { Json } from "../lib/json";

/** One call of the outbox, in the form of the channel's client. */
export interface OutboxRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly body?: { readonly [name: string]: Json };
  readonly idempotencyKey?: string;
  /** Fails with `wrong_user` under anyone else's key. */
  readonly asUser?: Id;
  /** Carries no key. */
  readonly public?: true;
  /** `path` is relative to the site's origin. */
  readonly fromOrigin?: true;
  readonly repeatable?: true;
  /** Whether the data has the requested shape. Data of another shape counts as no answer. */
  readonly fits?: (data: unknown) => boolean;
  /** Statuses that are expected answers. */
  readonly skipLog?: readonly number[];
  /** Aborts the call and its retry. */
  readonly signal?: AbortSignal;
}

export interface Channel {
  /** The answer's data without personal fields. Throws a `PortError`. */
  send(request: OutboxRequest): Promise<Json>;
  /** The current user of this browser's key. */
  userId(): Promise<Id | null>;
  /** The address of `userId`, if logged in here: the sender adds it, since no action may contain it. */
  emailOf(userId: Id): string | null;
}
