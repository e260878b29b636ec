import { useContext, useState } from "react";
import { useLocation, useSearchParams } from "react-router";
import { type Arrival, ArrivalContext } from "../../ports/arrival";

/** What the link carried that opened this page, read once: its secrets are out of the address by then. */
export function useLinkParams(): Arrival["params"] {
  const arrival = useContext(ArrivalContext);
  const { pathname } = useLocation();
  const [address] = useSearchParams();
  const [params] = useState(() => (arrival?.pathname === pathname ? arrival.params : Object.fromEntries(address)));
  return params;
}
