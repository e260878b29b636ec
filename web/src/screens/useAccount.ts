import { useContext, useSyncExternalStore } from "react";
import { AccountContext, type AccountPort, type Person } from "../ports/account";

/** The port for personal data, which the app always provides. */
export function useAccount(): AccountPort {
  const account = useContext(AccountContext);
  if (account === null) throw new Error("the page has no account port");
  return account;
}

/** The viewer's personal data from the port's store: names never enter the state. */
export function usePerson(): Person | null {
  const account = useAccount();
  return useSyncExternalStore(account.subscribe, account.person, () => null);
}
