import type { Id } from "../contracts/resources";
import type { Json } from "../lib/json";
import type { Channel, OutboxRequest } from "./channel";

/** The part of the API's client that the outbox sends with. */
export interface Client {
  readonly transport: { send(request: OutboxRequest): Promise<{ readonly data: unknown }> };
  readonly keys: { read(): Promise<{ readonly user_id: Id | null }> };
  readonly account: { person(): { readonly email: string } | null };
}

/** The channel as the API's client reaches it. `strip` takes from an answer what is personal. */
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
