import type { components } from "./generated/openapi";
import type { personalFields, secretFields } from "./generated/personal";

type Schemas = components["schemas"];

/** Removed from every answer before anything is recorded: see `api/personal.ts`. */
type Personal = (typeof personalFields | typeof secretFields)[number];

/** Fields that an answer stored by an older site lacks. */
type Newer =
  | "annual"
  | "clips"
  | "declined"
  | "is_clippable"
  | "is_default"
  | "is_downloadable"
  | "is_geo_blocked"
  | "is_hidden"
  | "is_protected"
  | "past_due"
  | "refunded_minor"
  | "visibility";

/** Whether a field may be absent: the document allows null, and the worker then omits it. */
type MayBeAbsent<T, K extends keyof T> = null extends T[K]
  ? true
  : K extends Newer
    ? Record<never, never> extends Pick<T, K>
      ? true
      : false
    : false;

/**
 * A schema of the worker's OpenAPI document as a port answers it: without personal fields, at any depth. A field with a
 * default is always present.
 */
type Resource<T> = T extends readonly (infer Item)[]
  ? Resource<Item>[]
  : T extends object
    ? {
        [K in keyof T as K extends Personal ? never : MayBeAbsent<T, K> extends true ? never : K]-?: Resource<
          Exclude<T[K], undefined>
        >;
      } & {
        [K in keyof T as K extends Personal ? never : MayBeAbsent<T, K> extends true ? K : never]?: Resource<
          Exclude<T[K], null | undefined>
        >;
      }
    : T;

/** Positive integer, unique per resource. */
export type Id = number;
/** Minor units (cents) of a currency. */
export type Money = number;

export type Bootstrap = Resource<Schemas["Bootstrap"]>;
export type ColorSettings = Resource<Schemas["ColorSettings"]>;
export type ContentPage = Resource<Schemas["ContentPage"]>;
export type CustomForm = Resource<Schemas["CustomForm"]>;
export type Faq = Resource<Schemas["Faq"]>;
export type Geo = Resource<Schemas["Geo"]>;
export type Menu = Resource<Schemas["Menu"]>;
export type MenuLink = Resource<Schemas["MenuLink"]>;
export type Popup = Resource<Schemas["Popup"]>;
export type Preroll = Resource<Schemas["Preroll"]>;
export type Settings = Resource<Schemas["Settings"]>;
export type Slide = Resource<Schemas["Slide"]>;

export type Event = Resource<Schemas["Event"]>;
export type EventCategory = Resource<Schemas["EventCategory"]>;
export type EventLocation = Resource<Schemas["EventLocation"]>;
export type HomeRail = Resource<Schemas["HomeRail"]>;
export type Media = Resource<Schemas["Media"]>;
export type Participant = Resource<Schemas["Participant"]>;
export type PictureFacts = Resource<Schemas["PictureFacts"]>;
export type ParticipantGroup = Resource<Schemas["ParticipantGroup"]>;
export type StreamStatus = Schemas["StreamStatus"];
export type VodCategory = Resource<Schemas["VodMediaCategory"]>;
export type VodItem = Resource<Schemas["VodMediaItem"]>;
export type VodRail = Resource<Schemas["VodRail"]>;

export type Access = Resource<Schemas["Access"]>;
export type FeatureCount = Resource<Schemas["FeatureCount"]>;
export type LinkedLogin = Resource<Schemas["LinkedLogin"]>;
/** Screens read names, email and phone from the account port. */
export type Profile = Resource<Schemas["Profile"]>;

export type Device = Resource<Schemas["Device"]> & {
  /**
   * Set for a connected account, which is listed with the devices: its id is negative, and both times are when it was
   * linked.
   */
  provider?: string;
};

/** A saved card: the provider's opaque id. Its last digits stay behind the account port. */
export type Card = Resource<Schemas["Card"]>;
export type Coupon = Resource<Schemas["Coupon"]>;
export type CurrentPrice = Resource<Schemas["CurrentPrice"]>;
/** The secret of its `next_action` stays behind the port. */
export type Order = Resource<Schemas["Order"]>;
/** A payment or refund. It is personal as a whole, so the account port holds it. */
export type Transaction = Omit<Schemas["Transaction"], never>;
export type OrderStatus = Schemas["OrderStatus"];
export type OrderType = Schemas["OrderType"];
export type Package = Resource<Schemas["Package"]>;
export type PackageContent = Resource<Schemas["PackageContent"]>;
export type SearchResults = Resource<Schemas["SearchResults"]>;
export type Subscription = Resource<Schemas["Subscription"]>;
export type SubscriptionState = Resource<Schemas["SubscriptionState"]>;

export type Clip = Resource<Schemas["Clip"]>;
export type ClipStatus = Schemas["ClipStatus"];
export type ClipVisibility = Schemas["ClipVisibility"];
export type PlaybackPosition = Resource<Schemas["PlaybackPosition"]>;
export type Favourite = Resource<Schemas["Favorite"]>;
export type FavouriteType = Schemas["FavoritableType"];

/** One page of a list, with its offset and the total. */
export interface Listing<T> {
  data: T[];
  meta: Schemas["Meta"];
}

/** Filters of an event list; all are optional and combine. */
export interface EventFilter {
  stream_status?: StreamStatus;
  gender?: string;
  sport?: string;
  city?: string;
  state?: string;
  event_category_id?: Id;
  category?: string;
  location?: Id;
  participant?: Id;
  /** Events that this package opens by its category. */
  package?: Id;
  group?: string;
  /** Only these events, comma-separated. */
  ids?: string;
  start_date?: string;
  end_date?: string;
  limit?: number;
  offset?: number;
  sort_field?: string;
  sort_direction?: "asc" | "desc";
  /** 1: only events that a pass or purchase of the viewer opens. */
  owned?: 1;
}
