import type { Id } from "../contracts/resources";
import type { Json } from "../lib/json";
import type { Channel, OutboxRequest } from "./channel";

/** The subset of the API client that the outbox uses. */
export interface Client {
  readonly transport: { send(request: OutboxRequest): Promise<{ readonly data: unknown }> };
  readonly keys: { read(): Promise<{ readonly user_id: Id | null }> };
  readonly account: { person(): { readonly email: string } | null };
}

/** The channel through the API client. `strip` removes personal fields from an answer. */
export function channelOf({ transport, keys, account }: Client, strip: (answer: unknown) => unknown): Channel {
  let holder: Id | null = null;
  return {
    send: async (request) => strip((await transport.send(request)).data) as Json,
    async userId() {
      holder = (await keys.read()).user_id;
      return holder;
    },
    emailOf: (userId) => (userId === holder ? (account.person()?.email ?? null) : null),
  };
}
