import type { Method } from "../../ports/calls";
import { PortError } from "../../ports/error";
import { noAnswer } from "../failure";
import { analytics } from "./analytics";
import { channelData } from "./channelData";
import type { Call } from "./endpoint";
import { events } from "./events";
import { favourites } from "./favourites";
import { keysAndAuth } from "./keysAndAuth";
import { payments } from "./payments";
import { profile } from "./profile";
import { vod } from "./vod";

/** Calls answered by the channel's API and the account port. */
export type ApiMethod = Extract<Method, `api.${string}` | `account.${string}` | `payments.${string}`>;

const bundled = {
  ...keysAndAuth,
  ...profile,
  ...channelData,
  ...events,
  ...payments,
  ...vod,
  ...favourites,
  ...analytics,
};

/** Calls whose code ships with the first page. */
export type BundledMethod = keyof typeof bundled;

export const isApiMethod = (method: string): method is ApiMethod => /^(?:api|account|payments)\./.test(method);

type Answer = (args: never, call: Call) => Promise<unknown>;

/** Answers a call; loads the code of rarer calls on first use. */
export async function answer(method: ApiMethod, args: object, call: Call): Promise<unknown> {
  const bundledEndpoints: { readonly [method: string]: Answer | undefined } = bundled;
  const local = bundledEndpoints[method];
  if (local) return local(args as never, call);
  const { endpoints } = await import("./fetched").catch(() => {
    throw noAnswer("network");
  });
  const other: { readonly [method: string]: Answer | undefined } = endpoints;
  const fetched = other[method];
  if (!fetched) throw new PortError({ code: "no_such_call", message: `no port answers ${method}` });
  return fetched(args as never, call);
}
