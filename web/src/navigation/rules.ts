import type { Match } from "./match";
import { routes } from "./routes";

/** What the rules need to know of the viewer. */
export interface Viewer {
  readonly loggedIn: boolean;
  /** Whether the password is a temporary one, to be changed before anything else. */
  readonly temporaryPassword: boolean;
}

/** What the rules need to know of a page change. */
export interface PageChange {
  /** The screen that is left; null at the first page. */
  readonly from: Match | null;
  /** The screen that is asked for; null when the path is unknown. */
  readonly to: Match | null;
  readonly viewer: Viewer;
  /** The channel's `auth.remote_auth`: whether devices can be linked by code. */
  readonly remoteAuth: boolean;
}

/** What becomes of a page change. `comeBack`: the page asked for is to be opened once the viewer has logged in. */
export type Decision =
  | { readonly go: "on" }
  | { readonly go: "back" }
  | { readonly go: "to"; readonly path: string; readonly comeBack: boolean };

const on: Decision = { go: "on" };
const to = (path: string, comeBack = false): Decision => ({ go: "to", path, comeBack });

/** Decides a page change (NAV-1 to NAV-3, ROUTE-6, ROUTE-9). Every answer of `to` is a page that the same viewer may open. */
export function decide({ from, to: target, viewer, remoteAuth }: PageChange): Decision {
  if (viewer.loggedIn && viewer.temporaryPassword) {
    return target?.name === "profileEdit" ? on : to(routes.profileEdit.path);
  }
  if (target === null) return to(routes.notFound.path);
  if (target.name === "content") return on;
  // Without the channel's remote-auth setting no device is linked, and none shows a code.
  if (target.name === "device" && !remoteAuth) return to((viewer.loggedIn ? routes.home : routes.login).path);
  const { audience } = routes[target.name];
  if (viewer.loggedIn) {
    if (audience === "anonymous") return to(routes.home.path);
    return target.name === "addSession" && !remoteAuth ? to(routes.activeOrders.path) : on;
  }
  if (audience !== "viewer") return on;
  const fromLogin = from?.name === "login" || from?.name === "registration";
  return target.name === "buy" && fromLogin ? { go: "back" } : to(routes.login.path, true);
}

/** Whether a page is worth coming back to: any but those of logging in. */
export const isRemembered = ({ name }: Match): boolean => name === "content" || routes[name].auth !== true;
