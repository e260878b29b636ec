import { useContext, useState } from "react";
import { useLocation, useSearchParams } from "react-router";
import { type Arrival, ArrivalContext } from "../../ports/arrival";

/** Parameters of the opening link, read once: its secrets are already removed from the address. */
export function useLinkParams(): Arrival["params"] {
  const arrival = useContext(ArrivalContext);
  const { pathname } = useLocation();
  const [address] = useSearchParams();
  const [params] = useState(() => (arrival?.pathname === pathname ? arrival.params : Object.fromEntries(address)));
  return params;
}
