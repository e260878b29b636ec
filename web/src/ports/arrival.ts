import { createContext } from "react";

/** Personal data and credentials from a mailed link or a redirect that opened this page. */
export interface Arrival {
  readonly pathname: string;
  readonly params: { readonly [name: string]: string };
}

/** Provided by the app; by the time a screen renders, the data has been removed from the address. */
export const ArrivalContext = createContext<Arrival | null>(null);
