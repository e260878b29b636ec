/** A group of screens (ROUTE-12). Visits record it, and menus highlight its entry. */
export type ScreenGroup =
  | "schedule"
  | "faq"
  | "simulate"
  | "home"
  | "profile"
  | "buy"
  | "contacts"
  | "watch"
  | "share"
  | "auth"
  | "content"
  | "catalogue";

/** `site` has a header and a footer; `plain` has neither. */
export type Layout = "site" | "plain";

export type Audience = "everyone" | "viewer" | "anonymous";

interface RouteFacts {
  /** Segments that start with a colon are parameters. */
  readonly path: string;
  readonly group: ScreenGroup;
  readonly layout?: Layout;
  readonly audience?: Audience;
  readonly aliases?: readonly string[];
  /** An authentication page: never stored as the page to return to. */
  readonly auth?: true;
  /** The address's query is what the viewer typed and chose: it ends with the viewer (LOG-4). */
  readonly searched?: true;
  /** Parameters that must be positive integers. */
  readonly numeric?: readonly string[];
}

const table = {
  login: { path: "/login", group: "auth", audience: "anonymous", auth: true },
  registration: { path: "/registration", group: "auth", audience: "anonymous", auth: true },
  socialCallback: { path: "/auth/login/:provider/callback", group: "auth", auth: true, audience: "anonymous" },
  verifyNotice: { path: "/verify-notice", group: "auth", auth: true },
  verifyEmail: { path: "/verify-email", group: "auth", auth: true },
  passwordResetRequest: { path: "/password-reset-request", group: "auth", audience: "anonymous", auth: true },
  passwordReset: { path: "/password-reset", group: "auth", audience: "anonymous", auth: true },
  confirmAccountDeletion: { path: "/confirm-account-deletion", group: "auth", auth: true },
  device: { path: "/device", group: "auth", audience: "anonymous", auth: true },
  home: { path: "/", group: "home" },
  search: { path: "/search", group: "catalogue", searched: true },
  packages: { path: "/packages", group: "catalogue" },
  passes: { path: "/passes", group: "catalogue" },
  vodLibrary: { path: "/vod_library", group: "catalogue", searched: true },
  vodItem: { path: "/vod_library/:id", group: "watch", numeric: ["id"] },
  about: { path: "/about", group: "content" },
  contacts: { path: "/contacts", group: "contacts" },
  faq: { path: "/faq", group: "faq" },
  simulate: { path: "/simulate", group: "simulate", layout: "plain" },
  buy: { path: "/buy", group: "buy", audience: "viewer" },
  selectPackage: { path: "/select-package/:id", group: "buy", numeric: ["id"] },
  watch: { path: "/watch/:id", group: "watch", numeric: ["id"] },
  watchEmbed: { path: "/watch_embed/:id", group: "watch", layout: "plain", numeric: ["id"] },
  watchLibrary: { path: "/watch_library/:id", group: "watch", numeric: ["id"] },
  share: { path: "/share/:id/:uuid", group: "share", numeric: ["id"] },
  events: { path: "/upcoming", group: "schedule", aliases: ["/vod", "/live", "/schedule"], searched: true },
  activeOrders: { path: "/profile", group: "profile", audience: "viewer" },
  transactions: { path: "/profile/transactions", group: "profile", audience: "viewer" },
  receipt: { path: "/profile/receipts/:id", group: "profile", audience: "viewer", numeric: ["id"] },
  favourites: { path: "/profile/favourites", group: "profile", audience: "viewer" },
  clips: { path: "/profile/clips", group: "profile", audience: "viewer" },
  addSession: { path: "/profile/sessions/add", group: "profile", audience: "viewer" },
  profileEdit: { path: "/profile/edit", group: "profile", audience: "viewer" },
  privacyPolicy: { path: "/privacy_policy", group: "content" },
  termsConditions: { path: "/terms_conditions", group: "content" },
  notFound: { path: "/404", group: "content" },
} as const satisfies { [name: string]: RouteFacts };

export type RouteName = keyof typeof table;

/** The site's routes (ROUTE-1 to ROUTE-12). The channel's content pages come in addition, at their own `url`. */
export const routes: { readonly [name in RouteName]: RouteFacts } = table;

export const routeNames = Object.keys(table) as RouteName[];

/** The group of a screen; a page of the channel counts as content. */
export const groupOf = (name: string): ScreenGroup => routes[name as RouteName]?.group ?? "content";

/** Whether the query of a screen's address ends with its viewer. */
export const isSearched = (name: string): boolean => routes[name as RouteName]?.searched ?? false;
