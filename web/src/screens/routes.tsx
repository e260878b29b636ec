import type { RouteObject } from "react-router";
import { Loader } from "../components/Loader";
import { type RouteName, routes } from "../navigation";
import { Home } from "./home/Home";
import { Crash, PlainRoot, Root } from "./Root";

type Screen = () => Promise<{ Component: React.ComponentType }>;

/** Every screen but the home page is fetched when it is first opened. */
const SCREENS: { readonly [name in Exclude<RouteName, "home" | "simulate" | "watchEmbed">]: Screen } = {
  login: () => import("./auth/Login"),
  registration: () => import("./auth/Registration"),
  socialCallback: () => import("./auth/SocialCallback"),
  verifyNotice: () => import("./auth/VerifyNotice"),
  verifyEmail: () => import("./auth/VerifyEmail"),
  passwordResetRequest: () => import("./auth/PasswordResetRequest"),
  passwordReset: () => import("./auth/PasswordReset"),
  confirmAccountDeletion: () => import("./auth/ConfirmDeletion"),
  packages: () => import("./packages/Packages"),
  passes: () => import("./packages/Packages"),
  selectPackage: () => import("./packages/SelectPackage"),
  vodLibrary: () => import("./library/Library"),
  vodItem: () => import("./library/VodItem"),
  about: () => import("./info/ContentPage"),
  contacts: () => import("./info/ContentPage"),
  faq: () => import("./info/Faq"),
  privacyPolicy: () => import("./info/ContentPage"),
  termsConditions: () => import("./info/ContentPage"),
  buy: () => import("./buy/Buy"),
  watch: () => import("./watch/Watch"),
  watchLibrary: () => import("./library/WatchClip"),
  share: () => import("./library/SharedClip"),
  events: () => import("./events/Events"),
  activeOrders: () => import("./profile/ActiveOrders"),
  transactions: () => import("./profile/Transactions"),
  clips: () => import("./profile/Clips"),
  addSession: () => import("./profile/AddSession"),
  profileEdit: () => import("./profile/EditProfile"),
  notFound: () => import("./NotFound"),
};

const site: RouteObject[] = Object.entries(SCREENS).flatMap(([name, screen]) => {
  const { path, aliases = [] } = routes[name as RouteName];
  return [path, ...aliases].map((one) => ({ path: one, lazy: screen }));
});

/**
 * The routes of the site for `createBrowserRouter`. `simulate` is the replayer's page, which the app brings: no screen
 * may know the event log.
 */
export function siteRoutes(simulate?: RouteObject): RouteObject[] {
  return [
    {
      element: <Root />,
      errorElement: <Crash />,
      hydrateFallbackElement: <Loader />,
      children: [
        { path: routes.home.path, element: <Home /> },
        ...site,
        // Pages of the channel come at addresses of their own; what is none of them is sent to the 404 page.
        { path: "*", lazy: () => import("./info/ContentPage") },
      ],
    },
    {
      element: <PlainRoot />,
      errorElement: <Crash />,
      hydrateFallbackElement: <Loader />,
      children: [
        { path: routes.watchEmbed.path, lazy: () => import("./watch/Embed") },
        ...(simulate ? [simulate] : []),
      ],
    },
  ];
}
