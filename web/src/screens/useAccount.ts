import { useContext, useSyncExternalStore } from "react";
import { AccountContext, type AccountPort, type Person } from "../ports/account";

/** The port that holds what is personal. The app always provides it. */
export function useAccount(): AccountPort {
  const account = useContext(AccountContext);
  if (account === null) throw new Error("the page has no account port");
  return account;
}

/** Who the viewer is, read from the port's own store: names never enter the state. */
export function usePerson(): Person | null {
  const account = useAccount();
  return useSyncExternalStore(account.subscribe, account.person, () => null);
}
