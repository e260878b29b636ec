import { describe, expect, it } from "vitest";
import { newTexts } from "../../i18n/locale";
import { barPlaces, headerPlaces } from "./places";

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
const current = (places: readonly { label: string; current?: boolean }[]) =>
  places.filter((place) => place.current).map(({ label }) => label);

describe("where the viewer is", () => {
  it("is one link of the menu, even where two lead to one screen", () => {
    expect(current(headerPlaces(menu, "/live", t))).toEqual(["En direct"]);
    expect(current(headerPlaces(menu, "/upcoming", t))).toEqual(["Calendrier"]);
    expect(current(headerPlaces(menu, "/watch/7", t))).toEqual(["Calendrier"]);
    expect(current(headerPlaces(menu, "/", t))).toEqual(["Accueil"]);
    expect(current(headerPlaces(menu, "/faq", t))).toEqual([]);
  });

  it("is the site's own places where the channel's menu says nothing", () => {
    expect(current(headerPlaces(null, "/vod_library/3", t))).toEqual(["Library"]);
  });

  it("is one of the five of the bottom bar: clips are not the profile", () => {
    expect(current(barPlaces(true, "/profile/clips", t))).toEqual(["Clips"]);
    expect(current(barPlaces(true, "/profile/transactions", t))).toEqual(["Profile"]);
    expect(current(barPlaces(false, "/registration", t))).toEqual(["Profile"]);
  });
});
