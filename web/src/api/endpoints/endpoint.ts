import type { Listing } from "../../contracts/resources";
import type { Calls, Handle, Method } from "../../ports/calls";
import { PortError } from "../../ports/error";
import type { Account, FormValues } from "../account";
import type { Keyring } from "../keyring";
import type { Keys } from "../keys";
import { withoutPersonal } from "../personal";
import type { ApiAnswer, ApiRequest } from "../request";
import type { Transport } from "../transport";

/** Services that the endpoints use. */
export interface EndpointDeps {
  transport: Transport;
  keyring: Keyring;
  keys: Keys;
  account: Account;
}

/** One call of a saga on its way to the channel. */
export interface Call extends EndpointDeps {
  signal: AbortSignal | undefined;
}

/** Handlers of the calls `M`. */
export type Endpoints<M extends Method> = {
  readonly [method in M]: (args: Calls[method]["args"], call: Call) => Promise<Calls[method]["answer"]>;
};

type Request = Omit<ApiRequest, "signal">;

/** Sends a call that is aborted when its caller stops waiting. */
export const send = ({ transport, signal }: Call, request: Request): Promise<ApiAnswer> =>
  transport.send(signal === undefined ? request : { ...request, signal });

/** Checks that an answer has a field `name` of the given type. */
export const hasField =
  (name: string, type: "string" | "number") =>
  (data: unknown): boolean =>
    typeof (data as { readonly [name: string]: unknown } | null)?.[name] === type;

/** The answer's data without personal fields. The worker's contract guarantees type `T`. */
export async function read<T>(call: Call, path: string, options: Omit<Request, "method" | "path"> = {}): Promise<T> {
  return withoutPersonal((await send(call, { method: "GET", path, ...options })).data) as T;
}

export async function readList<T>(call: Call, path: string, query: ApiRequest["query"] = {}): Promise<Listing<T>> {
  const { data, meta } = await send(call, { method: "GET", path, query, fits: Array.isArray });
  const list = withoutPersonal(data) as T[];
  return { data: list, meta: meta ?? { total: list.length, limit: list.length, offset: 0 } };
}

export async function readArray<T>(call: Call, path: string, query: ApiRequest["query"] = {}): Promise<T[]> {
  return (await readList<T>(call, path, query)).data;
}

/** Requests a download address and stores it behind a handle, since anyone with the address can download. */
export async function storeDownload(call: Call, path: string): Promise<{ handle: Handle }> {
  const { data } = await send(call, { method: "GET", path, fits: hasField("download_url", "string") });
  return { handle: call.account.hold({ download_url: (data as { download_url: string }).download_url }) };
}

/** The values of a form. Throws if the page that held them is gone and they must be typed again. */
export function valuesOf({ account }: Call, handle: Handle): FormValues {
  const values = account.formValues(handle);
  if (values === null) throw new PortError({ code: "form_gone", message: "Please fill in the input field." });
  return values;
}

type Body = NonNullable<ApiRequest["body"]>;

/** Posts a form's values and discards them once they are accepted. */
export async function submit(
  call: Call,
  path: string,
  handle: Handle,
  options: Omit<Request, "method" | "path"> = {},
): Promise<unknown> {
  const body = { ...(valuesOf(call, handle) as Body), ...options.body };
  const { data } = await send(call, { method: "POST", path, ...options, body });
  call.account.forget(handle);
  return data;
}
