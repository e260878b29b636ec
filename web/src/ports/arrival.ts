import { createContext } from "react";

/** What a mailed or returning link carried of a person, or opens a door with, on the page that it opened. */
export interface Arrival {
  readonly pathname: string;
  readonly params: { readonly [name: string]: string };
}

/** Where the screens of such links find it: it is out of the address by then. The app provides it. */
export const ArrivalContext = createContext<Arrival | null>(null);
