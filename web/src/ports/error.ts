import type { CurrentPrice } from "../contracts/resources";
import type { Json } from "../lib/json";

/** A port's failure as written in the log: plain JSON, nothing personal. */
export interface PortErrorJson {
  code: string;
  message: string;
  /** HTTP status of the answer. Absent: the network, a timeout or a local store failed. */
  status?: number;
  /** Whether the same call may succeed later. Decided once, where the failure arises. */
  retryable?: boolean;
  /** Field errors of the answer. */
  errors?: { [field: string]: string[] };
  details?: Json;
}

/** The failure of a port. `callPort` throws nothing else into a saga. */
export class PortError extends Error {
  readonly code: string;
  readonly status: number | undefined;
  readonly retryable: boolean;
  readonly errors: { readonly [field: string]: readonly string[] };
  readonly details: Json;

  constructor(json: PortErrorJson) {
    super(json.message);
    this.name = "PortError";
    this.code = json.code;
    this.status = json.status;
    this.retryable = json.retryable ?? false;
    this.errors = json.errors ?? {};
    this.details = json.details ?? null;
  }

  /** The recorded form; `new PortError(error.toJSON())` restores the error. */
  toJSON(): PortErrorJson {
    return {
      code: this.code,
      message: this.message,
      ...(this.status === undefined ? {} : { status: this.status }),
      ...(this.retryable ? { retryable: true } : {}),
      ...(Object.keys(this.errors).length === 0
        ? {}
        : { errors: Object.fromEntries(Object.entries(this.errors).map(([field, texts]) => [field, [...texts]])) }),
      ...(this.details === null ? {} : { details: this.details }),
    };
  }

  /** Converts anything thrown into a PortError, so that a port's defect doesn't look like an answer. */
  static from(thrown: unknown): PortError {
    if (thrown instanceof PortError) return thrown;
    return new PortError({ code: "port_failed", message: thrown instanceof Error ? thrown.message : String(thrown) });
  }
}

/** The message of a throttled call and of the site-wide notice (ERR-1). */
export const THROTTLED = "Too many requests. Please try again in a moment.";

/** The code of an answer from an intermediary such as a proxy. */
export const foreignCode = (status: number): string => `http_${status}`;

/** Whether the channel itself refused permanently. A proxy's answer doesn't show what the channel would answer. */
export const isRefusal = ({ status, code, retryable }: PortError): boolean =>
  status !== undefined && status < 500 && !retryable && code !== foreignCode(status);

/** The wait requested by the server in milliseconds, if any. */
export function retryAfterOf({ details }: PortError): number | null {
  const wait = (details as { readonly retry_after_ms?: unknown } | null)?.retry_after_ms;
  return typeof wait === "number" ? wait : null;
}

/** The current price after a refusal because the displayed price was outdated. */
export function currentPriceOf({ code, details }: PortError): CurrentPrice | null {
  if (code !== "price_changed") return null;
  return (details as { readonly price?: CurrentPrice } | null)?.price ?? null;
}
