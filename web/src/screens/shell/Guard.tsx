import { type ReactNode, useEffect, useRef, useState } from "react";
import { Navigate, useLocation, useNavigate } from "react-router";
import { isMasked } from "../../lib/privateText";
import { decide, isSearched, linkTo, type Match, matchPath } from "../../navigation";
import type { AccountPort } from "../../ports/account";
import { selectLoggedIn, selectMustChangePassword, selectViewer } from "../../slices/auth";
import { selectPages, selectSettings } from "../../slices/catalogue";
import { selectLoaderVisible } from "../../slices/loader";
import { selectAuthBusy } from "../../slices/login";
import { type PageVisit, selectLastPage } from "../../slices/navigation";
import { selectUserFlags } from "../../slices/user";
import { useAppSelector } from "../state";
import { useAccount } from "../useAccount";
import { BuyGate } from "./BuyGate";
import { Undecided } from "./Undecided";

/** The page's address, without parameters whose private part has died with an earlier page (LOG-2). */
const addressOf = ({ path, query }: PageVisit, { filledIn }: AccountPort): string => {
  const values = Object.entries(query)
    .map(([name, value]) => [name, filledIn(value)])
    .filter(([, value = ""]) => !isMasked(value));
  const text = new URLSearchParams(values).toString();
  return text === "" ? path : `${path}?${text}`;
};

/** The page requested before the login, from the history entry's state. */
export function requestedPath(state: unknown): string | null {
  const from = typeof state === "object" && state !== null && "from" in state ? state.from : null;
  // Only a path on this site: `//host` would leave it.
  return typeof from === "string" && /^\/(?!\/)/.test(from) ? from : null;
}

/** Takes what a viewer who left typed and chose out of the address (LOG-4). */
function useSearchEnd(target: Match | null): void {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const viewer = useAppSelector(selectViewer);
  const before = useRef(viewer);
  const hasSearch = target !== null && isSearched(target.name) && search !== "";
  useEffect(() => {
    const hasEnded = before.current !== null && before.current !== viewer;
    before.current = viewer;
    if (hasEnded && hasSearch) navigate(pathname, { replace: true });
  }, [viewer, hasSearch, pathname, navigate]);
}

/** Enforces the navigation rules (NAV). */
export function Guard({ children }: { readonly children: ReactNode }) {
  const location = useLocation();
  const navigate = useNavigate();
  const loggedIn = useAppSelector(selectLoggedIn);
  const temporaryPassword = useAppSelector(selectMustChangePassword);
  const unverified = useAppSelector(selectUserFlags)?.email_verified === false;
  const loading = useAppSelector(selectLoaderVisible);
  const busy = useAppSelector(selectAuthBusy);
  const pages = useAppSelector(selectPages);
  const settings = useAppSelector(selectSettings);
  const last = useAppSelector(selectLastPage);
  const account = useAccount();
  const target = matchPath(location.pathname, pages);
  useSearchEnd(target);
  /** The last allowed page. */
  const [left, setLeft] = useState<Match | null>(null);
  /** The login page opened by a visitor, whose login then leads back. */
  const [opened, setOpened] = useState({ key: location.key, byVisitor: !loggedIn });
  if (opened.key !== location.key) setOpened({ key: location.key, byVisitor: !loggedIn });

  const decision = decide({
    from: left,
    to: target,
    viewer: { loggedIn, temporaryPassword },
    remoteAuth: (settings?.auth.remote_auth ?? 0) !== 0,
  });
  // Until start-up is done, the channel's pages are unknown; during a login or logout, including an earlier page's, the
  // viewer is unknown.
  const undecided = (loading || busy) && decision.go !== "on";
  const back = decision.go === "back" && !undecided;
  useEffect(() => {
    if (back) navigate(-1);
  }, [back, navigate]);
  if (decision.go === "on" && left?.name !== target?.name) setLeft(target);

  if (undecided) return <Undecided />;
  if (decision.go === "on") return children;
  if (decision.go === "back") return null;
  const isLogin = target?.name === "login" || target?.name === "registration";
  const requestedPage = requestedPath(location.state);
  const comesBack = isLogin && loggedIn && !temporaryPassword && (opened.byVisitor || requestedPage !== null);
  const path = comesBack ? (requestedPage ?? (last ? addressOf(last, account) : linkTo("home"))) : decision.path;
  // A new viewer first sees the notice about the email, which links onwards (AUTH-4).
  const isNew = comesBack && target.name === "registration" && unverified;
  const from = isNew ? path : decision.comeBack ? `${location.pathname}${location.search}` : null;
  const elsewhere = <Navigate to={isNew ? linkTo("verifyNotice") : path} replace state={from && { from }} />;
  return target?.name === "buy" && !loggedIn ? <BuyGate login={elsewhere}>{children}</BuyGate> : elsewhere;
}
