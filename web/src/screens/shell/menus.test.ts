import { describe, expect, it } from "vitest";
import { newTexts } from "../../i18n/locale";
import { barMenu, headerMenu } from "./menus";

const { t } = newTexts().spoken();
const menu = {
  header: [
    { name: "Accueil", url: "/" },
    { name: "En direct", url: "/live" },
    { name: "Calendrier", url: "/schedule" },
  ],
  footer: [],
  groups: [],
  participants: [],
};
const current = (items: readonly { label: string; current?: boolean }[]) =>
  items.filter((item) => item.current).map(({ label }) => label);

describe("where the viewer is, by the group of the page (ROUTE-12)", () => {
  it("is one link of the menu, even where two lead to one screen", () => {
    expect(current(headerMenu(menu, "/live", t))).toEqual(["En direct"]);
    expect(current(headerMenu(menu, "/upcoming", t))).toEqual(["Calendrier"]);
    expect(current(headerMenu(menu, "/watch/7", t))).toEqual(["Calendrier"]);
    expect(current(headerMenu(menu, "/", t))).toEqual(["Accueil"]);
    expect(current(headerMenu(menu, "/faq", t))).toEqual([]);
  });

  it("is the packages for buying one, or a subscription, and else the schedule", () => {
    const bought = (query: string) => [
      ...current(headerMenu(null, `/buy?${query}`, t)),
      ...current(barMenu(true, true, `/buy?${query}`, t)),
    ];
    expect(bought("event_id=1&single_event_package_id=2")).toEqual(["Schedule", "Schedule"]);
    expect(bought("package_id=1&type=package")).toEqual(["Packages"]);
    expect(bought("type=trial&subscription_id=1")).toEqual(["Packages"]);
    expect(current(headerMenu(menu, "/live?sport=hockey", t))).toEqual(["En direct"]);
  });

  it("is the built-in menu if the channel has none", () => {
    expect(current(headerMenu(null, "/vod_library/3", t))).toEqual(["Library"]);
  });

  it("is one of the five of the bottom bar: clips are not the profile", () => {
    expect(current(barMenu(true, true, "/profile/clips", t))).toEqual(["Clips"]);
    expect(current(barMenu(true, true, "/profile/transactions", t))).toEqual(["Profile"]);
    expect(current(barMenu(true, true, "/watch_library/3", t))).toEqual(["Clips"]);
    expect(current(barMenu(true, true, "/profile/sessions/add", t))).toEqual(["Profile"]);
    expect(current(barMenu(false, true, "/registration", t))).toEqual(["Profile"]);
    expect(current(barMenu(false, true, "/verify-notice", t))).toEqual(["Profile"]);
  });
});
