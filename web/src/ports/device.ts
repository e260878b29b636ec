import { createContext } from "react";

/** A code that a television shows. Entering it logs the television in, so it enters no action, state or log (LOG-2). */
export interface DeviceCode {
  readonly code: string;
  /** Expiry, in Unix milliseconds. */
  readonly expires: number;
}

/** Codes for the page of a device without a keyboard. */
export interface DevicePort {
  /** A new code for this browser, replacing its last one. Rejects with a `PortError`. */
  code(): Promise<DeviceCode>;
}

/** Provided by the app. */
export const DeviceContext = createContext<DevicePort | null>(null);
