import type { Store } from "@reduxjs/toolkit";
import { useMemo } from "react";
import { Provider } from "react-redux";
import { type Navigator, Router } from "react-router";
import { NowContext } from "../components/basic/now";
import { AccountContext } from "../ports/account";
import { DeviceContext } from "../ports/device";
import { SiteRoutes } from "../screens/routes";
import type { RootState } from "../slices";
import { privateAccount, privateDevice } from "./privatePorts";

/** The address recorded in the state. */
export function addressOf({ navigation: { current } }: RootState): string {
  if (!current) return "/";
  const query = new URLSearchParams(current.query).toString();
  return query === "" ? current.path : `${current.path}?${query}`;
}

/** The address is the state's: navigation does nothing. */
const STILL: Navigator = {
  createHref: (to) => (typeof to === "string" ? to : `${to.pathname ?? ""}${to.search ?? ""}${to.hash ?? ""}`),
  go: () => undefined,
  push: () => undefined,
  replace: () => undefined,
};

interface ReplayedSiteProps {
  readonly store: Store<RootState>;
  /** Reads the recorded time. */
  readonly now: () => number;
  readonly location: string;
}

/** The site's screens over a recorded state. */
export function ReplayedSite({ store, now, location }: ReplayedSiteProps) {
  const account = useMemo(() => privateAccount(store), [store]);
  return (
    <NowContext.Provider value={now}>
      <AccountContext.Provider value={account}>
        <DeviceContext.Provider value={privateDevice}>
          <Provider store={store}>
            <Router location={location} navigator={STILL}>
              <SiteRoutes />
            </Router>
          </Provider>
        </DeviceContext.Provider>
      </AccountContext.Provider>
    </NowContext.Provider>
  );
}
