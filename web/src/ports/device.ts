import { createContext } from "react";

/** A code that a television shows: whoever enters it logs it in, so it enters no action, state or log (LOG-2). */
export interface DeviceCode {
  readonly code: string;
  /** Until when it works, milliseconds since 1970. */
  readonly expires: number;
}

/** Where the page of a device without a keyboard gets its code. */
export interface DevicePort {
  /** A new code for this browser's key, in the place of its last one. Rejects with a `PortError`. */
  code(): Promise<DeviceCode>;
}

/** Where the page finds the port; the app provides it. */
export const DeviceContext = createContext<DevicePort | null>(null);
