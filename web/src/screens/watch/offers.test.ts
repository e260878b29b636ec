import { describe, expect, it } from "vitest";
import type { Event, EventCategory, Package, Subscription } from "../../contracts/resources";
import { offeringsFor } from "./offers";

const categories: EventCategory[] = [
  {
    id: 10,
    name: "Basketball",
    alias: "basketball",
    sport: "basketball",
    children: [{ id: 11, name: "Women’s", alias: "w", sport: "basketball", children: [] }],
  },
  { id: 20, name: "Hockey", alias: "hockey", sport: "hockey", children: [] },
];

const team = (id: number, name: string) => ({
  id,
  name,
  short_name: name,
  alias: name,
  images: [],
  color: "#000000",
  properties: {},
});

const event: Event = {
  id: 1,
  name: "A at B",
  type: "paid",
  access_type: "paid",
  has_access: false,
  event_utc_ts: 0,
  time_zone: "UTC",
  duration_s: 0,
  event_category_id: 11,
  location_id: 1,
  stream_status: "live",
  base_price: 799,
  service_fee: 60,
  currency: "USD",
  single_event_package_id: 1001,
  description: "",
  participants: [team(101, "A"), team(102, "B")],
  media: [],
  version: 1,
};

const bundle = (over: Partial<Package>): Package => ({
  id: 1,
  name: "Pass",
  price: 8900,
  base_price: 8900,
  service_fee: 650,
  currency: "USD",
  type: "pass",
  is_team_pass: false,
  event_categories: [10],
  participants: [],
  weight: 1,
  offer: "",
  period: "",
  period_days: 0,
  description: "",
  disabled_categories: [],
  disabled_participants: [],
  ...over,
});

const subscription: Subscription = {
  id: 5,
  name: "Monthly",
  price: 1299,
  base_price: 1299,
  service_fee: 60,
  currency: "USD",
  offer: "monthly",
  period: "month",
  trial_period: 7,
  weight: 1,
  description: "",
};

const sold = (packages: Package[], trialAvailable = false) => ({
  packages,
  subscriptions: [subscription],
  categories,
  trialAvailable,
});
const keys = (list: readonly { key: string }[]) => list.map(({ key }) => key);

describe("what opens an event", () => {
  it("is the event itself, the packages of its category tree by weight, and the subscriptions", () => {
    const packages = [bundle({ id: 2, weight: 9 }), bundle({ id: 3, event_categories: [20] }), bundle({ id: 1 })];
    expect(keys(offeringsFor(event, sold(packages)))).toEqual(["event", "package/1", "package/2", "subscription/5"]);
  });

  it("leaves out what is not sold singly, and what the viewer has bought", () => {
    const { single_event_package_id: _, ...notSingle } = event;
    const bought = bundle({ id: 4, disabled_categories: [10] });
    expect(keys(offeringsFor(notSingle, sold([bought])))).toEqual(["subscription/5"]);
  });

  it("names the team of a team pass, and carries it to the buy page", () => {
    const pass = bundle({
      id: 6,
      name: "Team pass",
      is_team_pass: true,
      event_categories: [],
      participants: [102, 103],
    });
    const offer = offeringsFor(event, sold([pass])).find(({ kind }) => kind === "package");
    expect([offer?.name, offer?.team]).toEqual(["Team pass", "B"]);
    expect(offer?.to).toBe("/buy?type=package&package_id=6&participant_id=102");
  });

  it("is the event alone for pay per view", () => {
    expect(keys(offeringsFor({ ...event, access_type: "ppv" }, sold([bundle({})])))).toEqual(["event"]);
  });

  it("offers a trial only to those who have not used theirs (SUB-4)", () => {
    expect(offeringsFor(event, sold([], true)).at(-1)).toMatchObject({ kind: "trial", trialDays: 7 });
    expect(offeringsFor(event, sold([], false)).at(-1)).toMatchObject({ kind: "subscription", trialDays: 0 });
  });
});
