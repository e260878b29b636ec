import type { Id } from "../contracts/resources";
import type { Json } from "../lib/json";

/** One call of the outbox, as the channel's client takes it. */
export interface OutboxRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly body?: { readonly [name: string]: Json };
  readonly idempotencyKey?: string;
  /** Fails with `wrong_user` under anyone else's key. */
  readonly asUser?: Id;
  /** Carries no key. */
  readonly public?: true;
  /** `path` counts from the site's origin. */
  readonly fromOrigin?: true;
  readonly repeatable?: true;
  /** Whether the data have the shape that was asked for. What has another is no answer. */
  readonly fits?: (data: unknown) => boolean;
  /** Statuses that are answers of a kind. */
  readonly skipLog?: readonly number[];
  /** Ends the call, and that it is repeated. */
  readonly signal?: AbortSignal;
}

/** What the outbox needs of the channel. */
export interface Channel {
  /** The answer's data, without what is personal. Throws a `PortError`. */
  send(request: OutboxRequest): Promise<Json>;
  /** Whose key this browser holds now. */
  userId(): Promise<Id | null>;
  /** The address of the person `userId`, where it is who is logged in here: the sender adds it, no action may hold it. */
  emailOf(userId: Id): string | null;
}
