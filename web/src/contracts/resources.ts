/**
 * The worker's resources as a port answers them: the wire's names (`worker/protocol`), without the fields that are
 * marked personal in the contract, which the gate moves into the account store before anything is recorded. A field
 * that the worker leaves out when it has nothing to say is optional here.
 */

/** Positive integer, unique per resource. */
export type Id = number;
/** Minor units (cents) of a currency. */
export type Money = number;
/** RFC 3339, UTC. */
export type Timestamp = string;
/** Unix seconds. */
export type UnixSeconds = number;

export type AccessType = "free" | "paid" | "register" | "ppv";
export type StreamStatus = "upcoming" | "live" | "finished";

export interface Participant {
  id: Id;
  name: string;
  short_name: string;
  alias: string;
  /** URLs; the first one is the crest. */
  images: string[];
  color: string;
  second_color?: string;
  /** The school. */
  group_id?: Id;
  /** Such as `gender` (`male`, `female`), `sport`, `league`, `nickname`. */
  properties: { [key: string]: string };
}

/** 1 image, 2 live, 3 vod, 4 embedded, 5 thumbnails, 6 preview, 7 preview_alt, 8 embedded_preview. */
export type MediaType = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

export interface Media {
  id: Id;
  type: MediaType;
  /** Absent where the viewer has no access, and where it is protected. */
  url?: string;
  /** It is on, and the viewer may watch it under an address of their own, which the `media` port gives. */
  is_protected?: boolean;
  /** Seconds; 0 for a picture or a live stream. */
  duration_s: number;
}

export interface Event {
  id: Id;
  name: string;
  type: "paid" | "other";
  access_type: AccessType;
  has_access: boolean;
  /** Closed to where the viewer is. What an older site stored does not say. */
  is_geo_blocked?: boolean;
  event_utc_ts: UnixSeconds;
  time_zone: string;
  /** Seconds. */
  duration_s: number;
  event_category_id: Id;
  location_id: Id;
  home_team_id?: Id;
  stream_status: StreamStatus;
  base_price: Money;
  service_fee: Money;
  currency: string;
  /** Absent where the event is not sold singly. */
  single_event_package_id?: Id;
  description: string;
  /** Away first. */
  participants: Participant[];
  media: Media[];
  /** Since when the event is as it is, Unix seconds: it grows with each move by the clock and each change. */
  version: number;
}

export interface HomeRail {
  /** `live`, `upcoming`, `finished` or a category's alias. */
  id: string;
  title: string;
  total: number;
  events: Event[];
}

/** A node of the category tree; a top one is a sport. */
export interface EventCategory {
  id: Id;
  name: string;
  alias: string;
  sport: string;
  children: EventCategory[];
}

export interface EventLocation {
  id: Id;
  name: string;
  city: string;
  state: string;
  country_code: string;
  time_zone: string;
}

export interface ParticipantGroup {
  id: Id;
  name: string;
  alias: string;
  images: string[];
  color: string;
  nickname: string;
  properties: { [key: string]: string };
}

export interface ParticipantGroupProperty {
  key: string;
  name: string;
  values: string[];
}

export interface FeatureCount {
  clips: number;
  downloads: number;
}

/** The profile without names, e-mail and phone, which screens read from the account port. */
export interface Profile {
  id: Id;
  email_verified: boolean;
  temporary_password: boolean;
  trial_period_used: boolean;
  is_geo_blocked: boolean;
  capabilities: string[];
  featureCount: FeatureCount;
}

/** What a viewer may do, and what they own. */
export interface Access {
  watch: boolean;
  download: boolean;
  clipping: boolean;
  download_clip: boolean;
  no_ads: boolean;
  vod_media_access: boolean;
  events: Id[];
  event_categories: Id[];
  participants: Id[];
  subscribed: boolean;
}

export interface Device {
  id: Id;
  name: string;
  created_at: Timestamp;
  last_seen_at: Timestamp;
  current: boolean;
  /** Of a log-in through another site, which stands among the devices: its id is negative, and both times are when it was linked. */
  provider?: string;
}

/** A log-in through another site that opens the viewer's account. */
export interface LinkedLogin {
  provider: string;
  linked_at: Timestamp;
}

export type OrderType = "event" | "package" | "subscription";
export type OrderStatus = "created" | "failed" | "paid" | "refunded";
export type ActivityStatus = "active" | "inactive";
export type SubscriptionStatus = "expired" | "inactive" | "active" | "canceled";

export interface SubscriptionState {
  status: SubscriptionStatus;
  auto_renew: "active" | "cancelled";
  current_period_end: Timestamp;
  trial_end?: Timestamp;
}

export interface Order {
  id: Id;
  type: OrderType;
  status: OrderStatus;
  activity_status: ActivityStatus;
  product: { id: Id; name: string; event_category_id?: Id; participant_id?: Id };
  base_price: Money;
  discount: Money;
  service_fee: Money;
  /** `base_price` − `discount` + `service_fee`. */
  total: Money;
  currency: string;
  created_at: Timestamp;
  /** Why it failed, for the viewer. */
  failure?: string;
  subscription?: SubscriptionState;
  /** The bank wants the viewer (3-D Secure). The secret that goes with it stays behind the port. */
  next_action?: { type: string };
  /** Only grows: an answer with an older one is out of date. */
  version: number;
}

export interface Package {
  id: Id;
  name: string;
  price: Money;
  base_price: Money;
  service_fee: Money;
  currency: string;
  /** `package`, `pass` (sold as a season or team pass) or `single_event`. */
  type: string;
  is_team_pass: boolean;
  event_categories: Id[];
  participants: Id[];
  weight: number;
  offer: string;
  period: string;
  /** 0 for ever. */
  period_days: number;
  description: string;
  /** What the asking viewer already has of it. */
  disabled_categories: Id[];
  disabled_participants: Id[];
}

export interface Subscription {
  id: Id;
  name: string;
  price: Money;
  base_price: Money;
  service_fee: Money;
  currency: string;
  /** `annual` or `monthly`. */
  offer: string;
  /** `annual`, `month` or `monthly`. */
  period: string;
  /** Free days before the first payment; 0 for none. */
  trial_period: number;
  weight: number;
  description: string;
}

/** What a promo code takes off. */
export interface Coupon {
  code: string;
  base_price: Money;
  discount: Money;
  service_fee: Money;
  total: Money;
  currency: string;
}

/** What something costs now, where the viewer was shown another price. */
export interface CurrentPrice {
  base_price: Money;
  discount: Money;
  service_fee: Money;
  /** `base_price` − `discount` + `service_fee`. */
  total: Money;
  currency: string;
  promo_code?: string;
  /** What each renewal of a subscription costs in all. */
  renewal_price?: Money;
  /** Free days of a trial. */
  trial_days?: number;
}

/** A saved card: the provider's opaque id. Its last digits stay behind the account port. */
export interface Card {
  id: string;
  brand: string;
  exp_month: number;
  exp_year: number;
  /** Its last payment was refused. What an older site stored does not say. */
  declined?: boolean;
}

export type ClipStatus = "queued" | "processing" | "ready" | "failed";

export interface Clip {
  id: Id;
  uuid: string;
  event_id: Id;
  name: string;
  /** Seconds from the start of the media. */
  start_time: number;
  /** Seconds. */
  duration: number;
  tags: string[];
  event_media_id: Id;
  status: ClipStatus;
  url?: string;
  created_at: Timestamp;
  version: number;
  event?: Event;
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
  /** How likely it is drawn beside the others that match. */
  weight: number;
  location_id?: Id;
  /** These and everything below them; empty for all. */
  event_categories: Id[];
  for_vod: boolean;
  for_live: boolean;
}

export interface Settings {
  name: string;
  short_name: string;
  tagline: string;
  logo: string;
  language: string;
  currency: string;
  time_zone: string;
  "google-analytics"?: string;
  "yare-analytics"?: string;
  analytics: { consent: boolean; respect_dnt: boolean };
  auth: { remote_auth: number; providers: string[] };
  prerolls: Preroll[];
  static_blocks: { [name: string]: string };
  simulate: boolean;
  sandbox_payments: boolean;
  stripe_publishable_key?: string;
  recaptcha_site_key?: string;
}

export interface MenuLink {
  name: string;
  url: string;
}

export interface MenuItem {
  id: Id;
  name: string;
  alias: string;
  images: string[];
}

export interface Menu {
  header: MenuLink[];
  footer: MenuLink[];
  groups: MenuItem[];
  participants: MenuItem[];
}

export interface ColorSettings {
  scheme: string;
  "header-background": string;
  "header-text-color": string;
  "body-background": string;
  "body-text-color": string;
  "footer-background": string;
  "footer-text-color"?: string;
  accent: string;
}

export interface ContentPage {
  id: Id;
  url: string;
  alt_name: string;
  name: string;
  /** Markdown; only where the one page was asked for. */
  content?: string;
}

export interface Slide {
  id: Id;
  /** Absent for the main slides. */
  slidable_type?: "category" | "participant" | "group";
  slidable_id?: Id;
  title: string;
  text: string;
  image: string;
  link: string;
  button: string;
  event_id?: Id;
}

export interface Faq {
  id: Id;
  question: string;
  /** Markdown. */
  answer: string;
  section: string;
}

export interface Popup {
  component: string;
  attributes: { [name: string]: unknown };
}

export interface Geo {
  country: string;
  country_code: string;
  is_geo_blocked: boolean;
}

/** Everything static of a channel in one answer. */
export interface Bootstrap {
  "color-settings": ColorSettings;
  "events-categories": EventCategory[];
  "events-locations": EventLocation[];
  faq: Faq[];
  menu: Menu;
  packages: Package[];
  pages: ContentPage[];
  "participant-groups": ParticipantGroup[];
  settings: Settings;
  slides: Slide[];
  subscriptions: Subscription[];
  "participant-group-properties": ParticipantGroupProperty[];
}

export interface VodItem {
  id: Id;
  title: string;
  date: Timestamp;
  description: string;
  category_id?: Id;
  access_type: AccessType;
  has_access: boolean;
  /** Closed to where the viewer is. What an older site stored does not say. */
  is_geo_blocked?: boolean;
  /** Seconds. */
  duration_s: number;
  figure: string;
  color: string;
  assets: { type: "image" | "preview"; path: string }[];
  media?: Media;
}

export interface VodRail {
  id: Id;
  title: string;
  vod_media_items: VodItem[];
}

export interface VodCategory {
  id: Id;
  title: string;
}

export interface CustomForm {
  id: Id;
  alias: string;
  name: string;
  fields: { name: string; label: string; type: string; required: boolean; options: string[] }[];
}

/** One part of a list, and where it stands in the whole. */
export interface Listing<T> {
  data: T[];
  meta: { total: number; limit: number; offset: number };
}

/** Filters of an event list; all are optional and combine. */
export interface EventFilter {
  stream_status?: StreamStatus;
  gender?: string;
  sport?: string;
  city?: string;
  state?: string;
  event_category_id?: Id;
  location?: Id;
  participant?: Id;
  group?: string;
  start_date?: string;
  end_date?: string;
  limit?: number;
  offset?: number;
  sort_field?: string;
  sort_direction?: "asc" | "desc";
}
