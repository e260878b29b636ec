/**
 * The worker's resources as a port answers them: the wire's names, without the fields that are marked personal in the
 * contract (the gate moves those into the account store before anything is recorded).
 */

/** Positive integer, unique per resource. */
export type Id = number;
/** Minor units (cents) of the channel's currency. */
export type Money = number;
/** RFC 3339, UTC, with milliseconds. */
export type Timestamp = string;

export type AccessType = "free" | "paid" | "register" | "ppv";
export type StreamStatus = "upcoming" | "live" | "finished";
export type Gender = "male" | "female";

export interface Image {
  type: string;
  path: string;
}

export interface Participant {
  id: Id;
  name: string;
  short_name: string;
  alias: string | null;
  images: Image[];
  color: string | null;
  properties: { gender?: Gender | null; sport?: string | null; group_id?: Id | null; [name: string]: unknown };
}

/** A playable thing of an event; `type` is the media code: 2 live, 3 vod, 4 embedded, 6 preview and so on. */
export interface Media {
  id: Id;
  type: number;
  /** Absent where the viewer has no access. Signed and expiring where access is paid for. */
  url: string | null;
}

export interface Event {
  id: Id;
  name: string;
  type: AccessType;
  has_access: boolean;
  /** Unix seconds. */
  event_utc_ts: number;
  time_zone: string;
  event_category_id: Id;
  location_id: Id | null;
  home_team_id: Id | null;
  stream_status: StreamStatus;
  base_price: Money;
  service_fee: Money;
  single_event_package_id: Id | null;
  participants: Participant[];
  media: Media[];
  images: Image[];
  is_geo_blocked?: boolean;
  /** Grows with each change; 0 where the origin numbers nothing. */
  version?: number;
}

export interface EventCategory {
  id: Id;
  name: string;
  children: EventCategory[];
}

export interface Location {
  id: Id;
  name: string;
  city: string;
  state: string;
}

/** The profile without names and e-mail, which screens read from the account port. */
export interface Profile {
  id: Id;
  temporary_password: boolean;
  email_verified?: boolean;
  trial_period_used: boolean;
  is_geo_blocked: boolean;
  capabilities: string[];
  feature_count: { clips: number; downloads: number };
}

export interface UserAccess {
  capabilities: string[];
  feature_count: { clips: number; downloads: number };
}

export type OrderType = "event" | "package" | "subscription";
export type OrderStatus = "created" | "failed" | "paid" | "refunded";
export type ActivityStatus = "active" | "inactive";

export interface Order {
  id: Id;
  type: OrderType;
  status: OrderStatus;
  activity_status: ActivityStatus;
  product: { id: Id; name?: string; event_category_id: Id | null; participant_id: Id | null };
  base_price: Money;
  discount: Money;
  service_fee: Money;
  total: Money;
  currency: string;
  created_at: Timestamp;
  expires_at: Timestamp | null;
  auto_renew?: "active" | "cancelled" | null;
  /** Only grows: an answer with an older one is out of date. */
  version: number;
}

/** What `stripe/buy` answers. With `confirmation` the bank wants the viewer (3-D Secure) before the order can be paid. */
export interface Purchase {
  order: Order;
  confirmation: boolean;
}

export interface Package {
  id: Id;
  name: string;
  price: Money;
  base_price: Money;
  service_fee: Money;
  type: string;
  is_team_pass: boolean;
  event_categories: Id[];
  participants?: Id[];
  /** What the viewer already owns of it. */
  disabled_event_categories?: Id[];
  disabled_participants?: Id[];
  weight: number;
  offer: string | null;
  period: string | null;
}

export interface Subscription {
  id: Id;
  name: string;
  price: Money;
  base_price: Money;
  service_fee: Money;
  offer: "annual" | "monthly";
  period: string;
  /** Days, 0 for none. */
  trial_period: number;
  weight: number;
}

/** What a promo code does to a price. */
export interface Discount {
  discount: Money;
  base_price: Money;
  service_fee: Money;
  total: Money;
}

/** A saved card: the provider's opaque id, and what identifies the card to its owner. */
export interface Card {
  id: string;
  brand: string;
  last4: string;
  exp_month: number;
  exp_year: number;
}

export type ClipStatus = "queued" | "processing" | "ready" | "failed";

export interface Clip {
  id: Id;
  event_id: Id;
  event_media_id: Id | null;
  name: string;
  /** Seconds from the start of the media. */
  start_time: number;
  /** Seconds. */
  duration: number;
  tags: string[];
  status: ClipStatus;
  url: string | null;
  uuid: string;
  event: Event | null;
  created_at: Timestamp;
  version: number;
}

export type FavouriteType = "participant" | "group" | "category";

export interface Favourite {
  id: Id;
  favoritable_id: Id;
  favoritable_type: FavouriteType;
}

export interface Preroll {
  id: Id;
  url: string;
  /** Share among those that match; 0 is never drawn. */
  weight: number;
  location_id: Id | null;
  event_categories: Id[];
  for_vod: boolean;
  for_live: boolean;
}

export interface Settings {
  name: string;
  language: string;
  currency: string;
  "google-analytics": string | null;
  "yare-analytics": string | null;
  auth: { remote_auth: number; providers?: string[] };
  prerolls: Preroll[];
  static_blocks: { [name: string]: unknown };
  [name: string]: unknown;
}

export interface MenuItem {
  id: Id;
  name: string;
  alias: string | null;
  kind: "group" | "participant" | "page" | "link";
  url: string | null;
  images: Image[];
}

export interface Page {
  id: Id;
  url: string;
  alt_name: string | null;
  name: string;
  content?: string;
}

export interface Slide {
  id: Id;
  slidable_type: "category" | "participant" | "group" | null;
  slidable_id: Id | null;
  title: string;
  text: string | null;
  image: Image | null;
  link: string | null;
}

export interface Faq {
  id: Id;
  question: string;
  answer: string;
}

export interface ParticipantGroup {
  id: Id;
  name: string;
  alias: string | null;
  images: Image[];
}

export interface Popup {
  component: string;
  attributes: { [name: string]: unknown };
}

export interface Geo {
  country: string | null;
  country_code: string | null;
  is_geo_blocked: boolean;
}

/** `GET /channel-bootstrap-data`: the channel's static data in one answer. */
export interface Bootstrap {
  "color-settings": { [name: string]: string };
  "events-categories": EventCategory[];
  "events-locations": Location[];
  faq: Faq[];
  menu: MenuItem[];
  packages: Package[];
  pages: Page[];
  "participant-groups": ParticipantGroup[];
  "participant-group-properties": unknown[];
  settings: Settings;
  slides: Slide[];
  subscriptions: Subscription[];
}

export interface VodItem {
  id: Id;
  title: string;
  date: Timestamp;
  assets: Image[];
  has_access: boolean;
  url?: string | null;
}

export interface VodRail {
  id: Id;
  title: string;
  vod_media_items: VodItem[];
}

export interface VodCategory {
  id: Id;
  name: string;
}

export interface CustomForm {
  alias: string;
  name: string;
  fields: unknown[];
}

export interface DeviceSession {
  id: Id;
  device: string;
  created_at: Timestamp;
  current: boolean;
}

/** One page of a list. */
export interface Listing<T> {
  data: T[];
  meta: { total: number; limit: number; offset: number };
}

/** Filters of an event list; all are optional and combine. */
export interface EventFilter {
  stream_status?: StreamStatus;
  gender?: Gender;
  sport?: string;
  city?: string;
  state?: string;
  event_category_id?: Id;
  location_id?: Id;
  participant_id?: Id;
  group?: string;
  type?: "event" | "vod";
  start_date?: string;
  end_date?: string;
  limit?: number;
  offset?: number;
  sort_field?: string;
  sort_direction?: "asc" | "desc";
}
