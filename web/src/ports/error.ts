import type { CurrentPrice } from "../contracts/resources";
import type { Json } from "../lib/json";

/** A port's failure as it stands in the log: plain JSON, nothing personal. */
export interface PortErrorJson {
  code: string;
  message: string;
  /** HTTP status, where there was an answer. Absent: the network, a timeout or a local store failed. */
  status?: number;
  /** Whether the same call may succeed later. Decided once, where the failure arises. */
  retryable?: boolean;
  /** Field errors of the answer. */
  errors?: { [field: string]: string[] };
  details?: Json;
}

/** Why a port could not answer. Nothing else is ever thrown into a saga by `ask`. */
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

  /** The form that is recorded; `new PortError(error.toJSON())` is the same error. */
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

  /** Anything thrown, as a PortError: a port's defect must not look like an answer. */
  static from(thrown: unknown): PortError {
    if (thrown instanceof PortError) return thrown;
    return new PortError({ code: "port_failed", message: thrown instanceof Error ? thrown.message : String(thrown) });
  }
}

/** ERR-1: what a call says that came too often, and the notice of the whole site. */
export const THROTTLED = "Too many requests. Please try again in a moment.";

/** The code of an answer that names none of the channel's: something on the way to it answered, as a proxy does. */
export const foreignCode = (status: number): string => `http_${status}`;

/** Whether the channel itself said no, for good. Nothing is known of what it would say where a proxy answers for it. */
export const isRefusal = ({ status, code, retryable }: PortError): boolean =>
  status !== undefined && status < 500 && !retryable && code !== foreignCode(status);

/** How long the server asked to be left alone, milliseconds, where it did. */
export function waitAskedBy({ details }: PortError): number | null {
  const wait = (details as { readonly retry_after_ms?: unknown } | null)?.retry_after_ms;
  return typeof wait === "number" ? wait : null;
}

/** What is asked for now, where a purchase was refused because another price was shown. */
export function priceAskedBy({ code, details }: PortError): CurrentPrice | null {
  if (code !== "price_changed") return null;
  return (details as { readonly price?: CurrentPrice } | null)?.price ?? null;
}
