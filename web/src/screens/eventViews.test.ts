import { describe, expect, it } from "vitest";
import type { Event, Participant } from "../contracts/resources";
import { formatsFor } from "../i18n/format";
import { eventView, type ViewContext } from "./eventViews";

const side = (id: number, short_name: string, gender: string): Participant => ({
  id,
  name: `${short_name} Team`,
  short_name,
  alias: short_name,
  images: [],
  color: "#112233",
  properties: { gender },
});

const event: Event = {
  id: 1,
  name: "Gulls at Kestrels",
  type: "paid",
  access_type: "paid",
  has_access: false,
  event_utc_ts: 1_800_000_000,
  time_zone: "America/Chicago",
  duration_s: 7_200,
  event_category_id: 11,
  location_id: 1,
  stream_status: "live",
  base_price: 799,
  service_fee: 60,
  currency: "USD",
  single_event_package_id: 1001,
  description: "",
  participants: [side(1, "Harbor City", "female"), side(2, "Northfield", "female")],
  media: [],
  version: 1,
};

const context: ViewContext = {
  positions: {},
  channel: "northfield",
  hidesScores: false,
  categories: [
    {
      id: 10,
      name: "Basketball",
      alias: "basketball",
      sport: "basketball",
      children: [{ id: 11, name: "Women’s", alias: "w", sport: "basketball", children: [] }],
    },
  ],
  locations: [],
  loggedIn: false,
  geoBlocked: false,
  online: true,
  formats: formatsFor("en", "UTC"),
  t: ((key: string, { sport }: { sport: string }) => `${key} ${sport}`) as never,
};

const offer = (over: Partial<Event>, more: Partial<ViewContext> = {}) =>
  eventView({ ...event, ...over }, { ...context, ...more }).offer;

describe("an event as it is shown", () => {
  it("is called by the short names of its two sides, away first (EVENT-2)", () => {
    expect(eventView(event, context).title).toEqual({ away: "Harbor City", home: "Northfield" });
    expect(eventView({ ...event, participants: event.participants.slice(0, 1) }, context).title).toBe(
      "Gulls at Kestrels",
    );
  });

  it("names its sport by the top of the category tree, and its gender when both sides share it (EVENT-5)", () => {
    expect(eventView(event, context).kind).toBe("Event.gender.female basketball");
    const mixed = [side(1, "A", "female"), side(2, "B", "male")];
    expect(eventView({ ...event, participants: mixed }, context).kind).toBe("Basketball");
  });

  it("asks a visitor to log in or to register, by the access that the event has (EVENT-4)", () => {
    expect(offer({})).toEqual({ kind: "login", price: "$7.99" });
    expect(offer({ access_type: "register" })).toEqual({ kind: "register" });
    expect(offer({ access_type: "free", has_access: true })).toEqual({ kind: "free" });
  });

  it("offers a viewer to buy what they have no access to, and to watch what they have", () => {
    const loggedIn = { loggedIn: true };
    expect(offer({}, loggedIn)).toEqual({ kind: "buy", price: "$7.99" });
    expect(offer({ has_access: true }, loggedIn)).toEqual({ kind: "owned" });
    const { single_event_package_id: _, ...notSingle } = event;
    expect(eventView(notSingle, { ...context, loggedIn: true }).offer).toEqual({ kind: "buy", price: null });
  });

  it("says that it is closed to a region before anything else (GEO-1)", () => {
    expect(offer({ has_access: true }, { geoBlocked: true, online: false })).toEqual({ kind: "blocked" });
  });

  it("needs a connection to be watched, not to be looked forward to", () => {
    expect(offer({ has_access: true }, { online: false })).toEqual({ kind: "offline" });
    expect(offer({ stream_status: "upcoming" }, { online: false }).kind).toBe("login");
  });

  it("shows a photograph where there is one, with the drawn fixture under it", () => {
    expect(eventView(event, context).picture.kind).toBe("fixture");
    const media = [{ id: 1, type: 1 as const, url: "/media/x.jpg", duration_s: 0 }];
    expect(eventView({ ...event, media }, context).picture).toMatchObject({
      kind: "photo",
      fallback: { kind: "fixture" },
    });
  });
});
