import type {
  Bootstrap,
  Clip,
  Event,
  Order,
  Package,
  ParticipantGroup,
  Preroll,
  Profile,
  Settings,
  Subscription,
  Transaction,
} from "../../contracts/resources";

/** One resource of each kind; a test overrides the fields it needs. */

export const aProfile = (parts: Partial<Profile> = {}): Profile => ({
  id: 7,
  email_verified: true,
  temporary_password: false,
  trial_period_used: false,
  is_geo_blocked: false,
  capabilities: ["WATCH", "clipping"],
  featureCount: { clips: 0, downloads: 0 },
  ...parts,
});

export const aSchool = (parts: Partial<ParticipantGroup> = {}): ParticipantGroup => ({
  id: 6,
  name: "Ram High",
  alias: "ram",
  images: [],
  color: "#000000",
  nickname: "",
  properties: { league: "East" },
  ...parts,
});

export const anEvent = (parts: Partial<Event> = {}): Event => ({
  id: 100,
  name: "Kestrels at Rams",
  type: "paid",
  access_type: "ppv",
  has_access: false,
  event_utc_ts: 1_790_000_000,
  time_zone: "America/Chicago",
  duration_s: 7200,
  event_category_id: 11,
  location_id: 3,
  home_team_id: 21,
  stream_status: "live",
  base_price: 999,
  service_fee: 100,
  currency: "USD",
  single_event_package_id: 500,
  description: "",
  participants: [],
  media: [{ id: 900, type: 2, duration_s: 0 }],
  version: 1,
  ...parts,
});

export const anOrder = (parts: Partial<Order> = {}): Order => ({
  id: 55,
  type: "event",
  status: "created",
  activity_status: "inactive",
  product: { id: 100, name: "Kestrels at Rams", event_category_id: 11 },
  base_price: 999,
  discount: 99,
  service_fee: 100,
  total: 1000,
  currency: "USD",
  created_at: "2026-09-21T12:00:00.000Z",
  version: 1,
  ...parts,
});

export const paid = (parts: Partial<Order> = {}): Order =>
  anOrder({ status: "paid", activity_status: "active", version: 2, ...parts });

export const aPackage = (parts: Partial<Package> = {}): Package => ({
  id: 40,
  name: "Season",
  price: 5000,
  base_price: 4500,
  service_fee: 500,
  currency: "USD",
  type: "package",
  is_team_pass: false,
  event_categories: [1],
  participants: [],
  weight: 1,
  offer: "season",
  period: "season",
  period_days: 0,
  description: "",
  disabled_categories: [],
  disabled_participants: [],
  ...parts,
});

export const aSubscription = (parts: Partial<Subscription> = {}): Subscription => ({
  id: 60,
  name: "Monthly",
  price: 1100,
  base_price: 1000,
  service_fee: 100,
  currency: "USD",
  offer: "monthly",
  period: "month",
  trial_period: 7,
  weight: 1,
  description: "",
  ...parts,
});

export const aTransaction = (parts: Partial<Transaction> = {}): Transaction => ({
  id: "c1",
  kind: "purchase",
  status: "succeeded",
  at: "2026-11-21T12:00:00.000Z",
  order_id: 1,
  type: "event",
  product: { id: 1, name: "A game" },
  amount: 859,
  fee: 60,
  discount: 0,
  currency: "USD",
  refunded: 0,
  ...parts,
});

export const aClip = (parts: Partial<Clip> = {}): Clip => ({
  id: 70,
  uuid: "u-70",
  event_id: 100,
  name: "Dunk",
  start_time: 10,
  duration: 5,
  tags: ["dunk"],
  event_media_id: 900,
  status: "queued",
  created_at: "2026-09-21T12:00:00.000Z",
  version: 1,
  ...parts,
});

export const aPreroll = (parts: Partial<Preroll> = {}): Preroll => ({
  id: 80,
  url: "/media/preroll/80.m3u8",
  weight: 1,
  event_categories: [],
  for_vod: true,
  for_live: true,
  ...parts,
});

export const settings = (parts: Partial<Settings> = {}): Settings => ({
  name: "Northfield Sports Network",
  short_name: "Northfield",
  tagline: "",
  logo: "",
  language: "en",
  currency: "USD",
  time_zone: "America/Chicago",
  "yare-analytics": "northfield-test",
  analytics: { consent: false, respect_dnt: false },
  auth: { remote_auth: 1, providers: [] },
  prerolls: [],
  static_blocks: {},
  simulate: false,
  sandbox_payments: true,
  ...parts,
});

export const aBootstrap = (parts: Partial<Bootstrap> = {}): Bootstrap => ({
  "color-settings": {
    scheme: "dark",
    "header-background": "#000000",
    "header-text-color": "#ffffff",
    "body-background": "#000000",
    "body-text-color": "#ffffff",
    "footer-background": "#000000",
    accent: "#ff5500",
  },
  "events-categories": [
    {
      id: 1,
      name: "Basketball",
      alias: "basketball",
      sport: "basketball",
      children: [{ id: 11, name: "Men's", alias: "mens", sport: "basketball", children: [] }],
    },
    { id: 2, name: "Hockey", alias: "hockey", sport: "hockey", children: [] },
  ],
  "events-locations": [],
  faq: [],
  menu: { header: [], footer: [], groups: [], participants: [] },
  packages: [aPackage()],
  pages: [],
  "participant-groups": [],
  settings: settings(),
  slides: [],
  subscriptions: [aSubscription()],
  "participant-group-properties": [],
  ...parts,
});
