import type { NavItem } from "../../components/shell/Header";
import type { Menu, MenuLink } from "../../contracts/resources";
import type { Translate } from "../../i18n/texts";
import { groupOf, linkTo, matchPath, type RouteName, routes, type ScreenGroup, soldBy } from "../../navigation";

/** The default menu, for channels without one. */
const HEADER: readonly (readonly [RouteName, "home" | "schedule" | "library" | "packages" | "faq"])[] = [
  ["home", "home"],
  ["events", "schedule"],
  ["vodLibrary", "library"],
  ["packages", "packages"],
  ["faq", "faq"],
];

const FOOTER: readonly (readonly [RouteName, "about" | "contacts" | "faq" | "privacy" | "terms"])[] = [
  ["about", "about"],
  ["contacts", "contacts"],
  ["faq", "faq"],
  ["privacyPolicy", "privacy"],
  ["termsConditions", "terms"],
];

/** The menu entry of each group's pages (ROUTE-12); other pages have their own. */
const GROUP_ENTRIES: { readonly [group in ScreenGroup]?: RouteName } = {
  schedule: "events",
  watch: "events",
  buy: "events",
  profile: "activeOrders",
  auth: "activeOrders",
};

/** Pages with their own menu entry. */
const PAGE_ENTRIES: { readonly [name in RouteName]?: RouteName } = {
  vodItem: "vodLibrary",
  passes: "packages",
  selectPackage: "packages",
  clips: "clips",
  watchLibrary: "clips",
};

const pathOf = (address: string): string => address.split("?", 1)[0] ?? "";

/** The menu entry of a page. What isn't an event is bought from the packages. */
function entryOf(address: string): string {
  const pathname = pathOf(address);
  const name = matchPath(pathname)?.name;
  if (name === undefined || name === "content") return pathname;
  const query = new URLSearchParams(address.slice(pathname.length));
  if (name === "buy" && soldBy((key) => query.get(key)).type !== "event") return "packages";
  return PAGE_ENTRIES[name] ?? GROUP_ENTRIES[groupOf(name)] ?? name;
}

const isCurrent = (to: string, address: string): boolean => entryOf(to) === entryOf(address);

/** The current page's link in a menu; two links may lead to one screen, such as live and schedule. */
function currentOf(links: readonly MenuLink[], address: string): MenuLink | undefined {
  const candidates = links.filter(({ url }) => isCurrent(url, address));
  return (
    candidates.find(({ url }) => url === pathOf(address)) ??
    candidates.find(({ url }) => url === routes.events.path || url === "/schedule") ??
    candidates[0]
  );
}

/** Header navigation: the channel's menu, or the default. `address`: the current page's path and query. */
export function headerMenu(menu: Menu | null, address: string, t: Translate): readonly NavItem[] {
  const links =
    menu && menu.header.length > 0
      ? menu.header
      : HEADER.map(([name, label]) => ({ name: t(`nav.${label}`), url: routes[name].path }));
  const current = currentOf(links, address);
  return links.map((link) => ({ key: link.url, to: link.url, label: link.name, current: link === current }));
}

/** Footer navigation: the header's entries, hidden on phones, then the channel's or the information pages. */
export function footerMenu(menu: Menu | null, address: string, t: Translate): readonly NavItem[] {
  const links =
    menu && menu.footer.length > 0
      ? menu.footer
      : FOOTER.map(([name, label]) => ({ name: t(`nav.${label}`), url: routes[name].path }));
  const header = headerMenu(menu, address, t);
  return [
    ...header,
    ...links.flatMap(({ name, url }) =>
      header.some(({ to }) => to === url) ? [] : [{ key: url, to: url, label: name }],
    ),
  ];
}

/** The bottom bar's five entries; four for a viewer who has no clips and can't create any. */
export function barMenu(loggedIn: boolean, clips: boolean, address: string, t: Translate): readonly NavItem[] {
  const item = (key: string, to: string, label: string, icon: NonNullable<NavItem["icon"]>): NavItem => ({
    key,
    to,
    label,
    icon,
    current: isCurrent(to, address),
  });
  return [
    item("home", linkTo("home"), t("nav.home"), "home"),
    item("schedule", linkTo("events"), t("nav.schedule"), "calendar"),
    item("library", linkTo("vodLibrary"), t("nav.library"), "film"),
    ...(clips ? [item("clips", linkTo("clips"), t("nav.clips"), "clip")] : []),
    item("profile", loggedIn ? linkTo("activeOrders") : linkTo("login"), t("nav.profile"), "user"),
  ];
}
