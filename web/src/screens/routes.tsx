import type { ComponentType } from "react";
import { Route, Routes } from "react-router";
import { ClockOffsetContext } from "../components/basic/now";
import { texts, withTexts } from "../i18n/locale";
import { matchPath, type RouteName, routes } from "../navigation";
import { selectClockOffset } from "../slices/clock";
import { Home } from "./home/Home";
import { fetched, type Part, part } from "./lazyWithRetry";
import { PlainRoot, Root } from "./Root";
import { useAppSelector } from "./state";

interface Screen extends Part<object> {
  /** Preloads the screen's code. */
  readonly load: () => Promise<unknown>;
}

/** A lazily loaded screen: all except the home page. */
const screen = (load: () => Promise<{ Component: ComponentType }>): Screen =>
  Object.assign(
    part(async () => ({ default: (await fetched(withTexts(load()))).Component })),
    { load },
  );

const Packages = screen(() => import("./packages/Packages"));
const ContentPage = screen(() => import("./info/ContentPage"));
const Embed = screen(() => import("./watch/Embed"));

const SCREENS: { readonly [name in Exclude<RouteName, "home" | "simulate" | "watchEmbed">]: Screen } = {
  login: screen(() => import("./auth/Login")),
  registration: screen(() => import("./auth/Registration")),
  socialCallback: screen(() => import("./auth/SocialCallback")),
  verifyNotice: screen(() => import("./auth/VerifyNotice")),
  verifyEmail: screen(() => import("./auth/VerifyEmail")),
  passwordResetRequest: screen(() => import("./auth/PasswordResetRequest")),
  passwordReset: screen(() => import("./auth/PasswordReset")),
  confirmAccountDeletion: screen(() => import("./auth/ConfirmDeletion")),
  device: screen(() => import("./auth/DeviceCode")),
  search: screen(() => import("./search/Search")),
  packages: Packages,
  passes: Packages,
  selectPackage: screen(() => import("./packages/SelectPackage")),
  vodLibrary: screen(() => import("./library/Library")),
  vodItem: screen(() => import("./library/VodItem")),
  about: ContentPage,
  contacts: ContentPage,
  faq: screen(() => import("./info/Faq")),
  privacyPolicy: ContentPage,
  termsConditions: ContentPage,
  buy: screen(async () => {
    // After a deploy these files may be gone: all that a purchase may need is here before Pay can be pressed.
    const [{ Component }] = await Promise.all([
      import("./buy/Buy"),
      import("./buy/BankQuestion"),
      import("./buy/StripeQuestion"),
      import("./buy/PurchaseFailed"),
    ]);
    return { Component };
  }),
  watch: screen(() => import("./watch/Watch")),
  watchLibrary: screen(() => import("./library/WatchClip")),
  share: screen(() => import("./library/SharedClip")),
  events: screen(() => import("./events/Events")),
  activeOrders: screen(() => import("./profile/ActiveOrders")),
  transactions: screen(() => import("./profile/Transactions")),
  receipt: screen(() => import("./profile/Receipt")),
  favourites: screen(() => import("./profile/Favourites")),
  clips: screen(() => import("./profile/Clips")),
  addSession: screen(() => import("./profile/AddSession")),
  profileEdit: screen(() => import("./profile/EditProfile")),
  notFound: screen(() => import("./NotFound")),
};

/** Screens that a page may start with; the home page's is always loaded. */
const FIRST: { readonly [name in RouteName]?: Screen } = { ...SCREENS, watchEmbed: Embed };

/**
 * Preloads the screen at `path` while the page restores its state. Call the returned function once the language is
 * loaded; when it resolves, React renders the screen without a fallback.
 */
export function screenAhead(path: string): () => Promise<void> {
  const name = matchPath(path)?.name;
  const first = name === undefined || name === "content" ? undefined : FIRST[name];
  if (!first) return async () => undefined;
  texts.wantsRest = true;
  // A failed preload is retried, and reported, when the screen is rendered.
  first.load().catch(() => undefined);
  return first.ahead;
}

const site = Object.entries(SCREENS).flatMap(([name, Screen]) => {
  const { path, aliases = [] } = routes[name as RouteName];
  return [path, ...aliases].map((one) => <Route key={one} path={one} element={<Screen />} />);
});

interface SiteRoutesProps {
  /** The replayer's page, provided by the app: screens must not depend on the event log. */
  readonly simulate?: ComponentType;
}

/** All pages of the site, within a router. */
export function SiteRoutes({ simulate: Simulate }: SiteRoutesProps) {
  return (
    <ClockOffsetContext.Provider value={useAppSelector(selectClockOffset)}>
      <Routes>
        <Route element={<Root />}>
          <Route path={routes.home.path} element={<Home />} />
          {site}
          {/* The channel's pages have their own addresses; others redirect to the 404 page. */}
          <Route path="*" element={<ContentPage />} />
        </Route>
        <Route element={<PlainRoot />}>
          <Route path={routes.watchEmbed.path} element={<Embed />} />
          {Simulate && <Route path={routes.simulate.path} element={<Simulate />} />}
        </Route>
      </Routes>
    </ClockOffsetContext.Provider>
  );
}
