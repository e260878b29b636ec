import type { Match } from "./match";
import { routes } from "./routes";

export interface Viewer {
  readonly loggedIn: boolean;
  /** Whether the password is temporary and must be changed first. */
  readonly temporaryPassword: boolean;
}

export interface PageChange {
  /** The current screen; null on the first page. */
  readonly from: Match | null;
  /** The requested screen; null if the path is unknown. */
  readonly to: Match | null;
  readonly viewer: Viewer;
  /** The channel's `auth.remote_auth` setting: whether devices can be linked by code. */
  readonly remoteAuth: boolean;
}

/** The outcome of a page change. With `comeBack`, the requested page opens after login. */
export type Decision =
  | { readonly go: "on" }
  | { readonly go: "back" }
  | { readonly go: "to"; readonly path: string; readonly comeBack: boolean };

const on: Decision = { go: "on" };
const to = (path: string, comeBack = false): Decision => ({ go: "to", path, comeBack });

/**
 * Decides a page change (NAV-1 to NAV-3, ROUTE-6, ROUTE-9). A `to` decision always names a page that the viewer may
 * open.
 */
export function decide({ from, to: target, viewer, remoteAuth }: PageChange): Decision {
  if (viewer.loggedIn && viewer.temporaryPassword) {
    return target?.name === "profileEdit" ? on : to(routes.profileEdit.path);
  }
  if (target === null) return to(routes.notFound.path);
  if (target.name === "content") return on;
  // Without the channel's remote-auth setting no device can be linked.
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

/** Whether a page is stored as the one to return to: any except authentication pages. */
export const isRemembered = ({ name }: Match): boolean => name === "content" || routes[name].auth !== true;
