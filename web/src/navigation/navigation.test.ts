import { describe, expect, it } from "vitest";
import {
  decide,
  isRemembered,
  linkTo,
  linkToGroup,
  linkToParticipant,
  matchPath,
  routeNames,
  routes,
  trackingOf,
} from ".";
import type { Match } from "./match";
import type { Viewer } from "./rules";

const anonymous: Viewer = { loggedIn: false, temporaryPassword: false };
const member: Viewer = { loggedIn: true, temporaryPassword: false };
const locked: Viewer = { loggedIn: true, temporaryPassword: true };

const at = (path: string): Match | null => matchPath(path);
const goes = (viewer: Viewer, path: string, from: string | null = "/", remoteAuth = true) =>
  decide({ from: from === null ? null : at(from), to: at(path), viewer, remoteAuth });

describe("the route table", () => {
  it.each([
    ["/", "home"],
    ["/login/", "login"],
    ["/upcoming", "events"],
    ["/vod", "events"],
    ["/live", "events"],
    ["/schedule", "events"],
    ["/vod_library", "vodLibrary"],
    ["/vod_library/12", "vodItem"],
    ["/watch/7", "watch"],
    ["/watch_embed/7", "watchEmbed"],
    ["/watch_library/7", "watchLibrary"],
    ["/share/7/0b9c", "share"],
    ["/select-package/3", "selectPackage"],
    ["/profile", "activeOrders"],
    ["/profile/sessions/add", "addSession"],
    ["/auth/login/google/callback", "socialCallback"],
    ["/404", "notFound"],
  ])("opens %s as %s", (path, name) => {
    expect(matchPath(path)?.name).toBe(name);
  });

  it.each([
    "/nowhere",
    "/watch/abc",
    "/watch/0",
    "/watch/1e3",
    "/watch/-1",
    "/watch",
    "/watch/7/8",
    "/share/x/y",
    "/%E0%A4%A",
  ])("knows no %s", (path) => {
    expect(matchPath(path)).toBeNull();
  });

  it("opens the channel's own pages, but never in place of a screen of the site", () => {
    const pages = [
      { id: 4, url: "/team-shop", name: "Shop" },
      { id: 5, url: "/login", name: "Trap" },
    ];
    expect(matchPath("/team-shop/", pages)).toEqual({ name: "content", params: { id: "4" } });
    expect(matchPath("/login", pages)?.name).toBe("login");
    expect(matchPath("/team-shop")).toBeNull();
  });

  it("gives every route a path of its own", () => {
    const paths = routeNames.flatMap((name) => [routes[name].path, ...(routes[name].aliases ?? [])]);
    expect(new Set(paths).size).toBe(paths.length);
  });
});

describe("links", () => {
  it("carry their parameters encoded, and leave out what is not given", () => {
    expect(linkTo("watch", { id: 7 })).toBe("/watch/7");
    expect(linkTo("share", { id: 7, uuid: "a/b" })).toBe("/share/7/a%2Fb");
    expect(linkTo("buy", {}, { event_id: 7, type: "event", package_id: undefined })).toBe("/buy?event_id=7&type=event");
  });

  it("refuse to lead nowhere", () => {
    expect(() => linkTo("watch")).toThrow("the link to watch needs id");
  });

  it("narrow the home page to a school or a team, by alias or else by name", () => {
    expect(linkToGroup({ alias: "northfield", name: "Northfield" })).toBe("/?group=northfield");
    expect(linkToGroup({ alias: "", name: "St. Olaf & Co" })).toBe("/?group=St.%20Olaf%20%26%20Co");
    expect(linkToParticipant({ alias: "kestrels", name: "Kestrels" })).toBe("/?participant=kestrels");
  });
});

describe("the navigation rules", () => {
  it("keep a viewer with a temporary password on the profile form", () => {
    for (const path of ["/", "/watch/7", "/buy", "/profile", "/login", "/nowhere"]) {
      expect(goes(locked, path)).toEqual({ go: "to", path: "/profile/edit", comeBack: false });
    }
    expect(goes(locked, "/profile/edit")).toEqual({ go: "on" });
  });

  it("send a logged-in viewer home from the pages of logging in", () => {
    for (const path of ["/login", "/registration", "/password-reset-request", "/password-reset"]) {
      expect(goes(member, path)).toEqual({ go: "to", path: "/", comeBack: false });
      expect(goes(anonymous, path)).toEqual({ go: "on" });
    }
    expect(goes(member, "/verify-email")).toEqual({ go: "on" });
  });

  it("go back one step when someone logged out comes to the purchase from logging in", () => {
    expect(goes(anonymous, "/buy", "/login")).toEqual({ go: "back" });
    expect(goes(anonymous, "/buy", "/registration")).toEqual({ go: "back" });
    expect(goes(member, "/buy", "/login")).toEqual({ go: "on" });
  });

  it("ask someone logged out to log in first, and come back to the page asked for", () => {
    expect(goes(anonymous, "/buy", "/watch/7")).toEqual({ go: "to", path: "/login", comeBack: true });
    expect(goes(anonymous, "/profile/clips", null)).toEqual({ go: "to", path: "/login", comeBack: true });
  });

  it("send unknown paths to /404", () => {
    expect(goes(anonymous, "/nowhere")).toEqual({ go: "to", path: "/404", comeBack: false });
    expect(goes(member, "/watch/abc")).toEqual({ go: "to", path: "/404", comeBack: false });
  });

  it("open the device code only where the channel links devices", () => {
    expect(goes(member, "/profile/sessions/add", "/", false)).toEqual({ go: "to", path: "/profile", comeBack: false });
    expect(goes(member, "/profile/sessions/add", "/", true)).toEqual({ go: "on" });
  });

  it("never send anyone to a page that sends them on", () => {
    for (const viewer of [anonymous, member, locked]) {
      for (const from of [null, ...routeNames.map((name) => ({ name, params: {} }))]) {
        for (const target of [null, ...routeNames.map((name) => ({ name, params: {} }))]) {
          const decision = decide({ from, to: target, viewer, remoteAuth: false });
          if (decision.go !== "to") continue;
          expect(decide({ from: target, to: at(decision.path), viewer, remoteAuth: false })).toEqual({ go: "on" });
        }
      }
    }
  });

  it("remember every page but those of logging in", () => {
    expect(isRemembered({ name: "watch", params: { id: "7" } })).toBe(true);
    expect(isRemembered({ name: "content", params: { id: "4" } })).toBe(true);
    expect(isRemembered({ name: "login", params: {} })).toBe(false);
    expect(isRemembered({ name: "verifyEmail", params: {} })).toBe(false);
  });
});

describe("the tracking value", () => {
  it("is taken from the query when it is a text of sensible length", () => {
    expect(trackingOf({ trk: " spring " })).toBe("spring");
    expect(trackingOf({ trk: "spring-20261115" })).toBe("spring-20261115");
    expect(trackingOf({ trk: "for vera@viewer.example" })).toBe("for [private]");
    expect(trackingOf({ trk: "" })).toBeNull();
    expect(trackingOf({ trk: "x".repeat(257) })).toBeNull();
    expect(trackingOf({})).toBeNull();
  });
});
