import type { AnalyticsIdentity, DrainReport, OutboxItem } from "../contracts/outbox";
import type {
  Access,
  Bootstrap,
  Card,
  Clip,
  ContentPage,
  Coupon,
  CustomForm,
  Device,
  Event,
  EventFilter,
  Favourite,
  Geo,
  HomeRail,
  Id,
  Listing,
  Money,
  Order,
  OrderType,
  Package,
  PackageContent,
  Participant,
  PlaybackPosition,
  Popup,
  Profile,
  SearchResults,
  Slide,
  Subscription,
  VodCategory,
  VodItem,
  VodRail,
} from "../contracts/resources";
import type { ResumePosition, WatchKind, Welcome } from "../contracts/sync";
import type { Json } from "../lib/json";

/** Names form values in the account port. Dies with its page. */
export type Handle = string;

type Call<Args, Answer> = { args: Args; answer: Answer };
// These calls take exactly an empty JSON object.
type None = {};
/** A purchase's buyer: under another user's key the call fails with `wrong_user` and isn't sent. Absent if unknown. */
type BuyerArgs = { user_id?: Id };

/** Every call that a saga can make: one plain JSON object in, JSON out. */
export interface Calls {
  "clock.sleep": Call<{ purpose: string; ms: number; until: number }, null>;

  /** The keys of this browser and the API key's user. The keys themselves never leave the port. */
  "account.status": Call<None, { channel_key: boolean; api_key: boolean; user_id: Id | null }>;
  "api.getChannelKey": Call<None, null>;
  "api.getApiKey": Call<None, null>;
  "api.login": Call<{ handle: Handle }, Profile>;
  "api.register": Call<{ handle: Handle }, Profile>;
  /** The provider's login page. */
  "api.startSocialLogin": Call<{ provider: string }, { url: string }>;
  "api.socialLogin": Call<{ provider: string; handle: Handle }, Profile>;
  /** Ends that user's session and no later one. Absent: the current user's. */
  "api.logout": Call<{ user_id?: Id }, null>;
  "api.verifyEmail": Call<{ handle: Handle }, null>;
  /** Resends the link. The handle of an empty form. */
  "api.requestVerification": Call<{ handle: Handle }, null>;
  "api.requestPasswordReset": Call<{ handle: Handle }, null>;
  "api.resetPassword": Call<{ handle: Handle }, null>;
  /** The handle of an empty form, so that every form is sent the same way. */
  "api.requestAccountDeletion": Call<{ handle: Handle }, null>;
  /** `other`: the account wasn't that of the user logged in here, who stays logged in. */
  "api.confirmAccountDeletion": Call<{ handle: Handle }, { other: true } | null>;
  "api.addSession": Call<{ handle: Handle }, null>;
  /** Polls whether this browser's code was entered; answers the profile of the account. The handle of an empty form. */
  "api.deviceLogin": Call<{ handle: Handle }, Profile>;
  "api.listSessions": Call<None, Device[]>;
  "api.revokeSession": Call<{ id: Id }, null>;
  "api.unlinkLogin": Call<{ provider: string }, null>;
  "api.getProfile": Call<None, Profile>;
  "api.updateProfile": Call<{ handle: Handle }, Profile>;
  "api.getUserAccess": Call<None, Access>;

  "api.getBootstrap": Call<None, Bootstrap>;
  "api.getParticipants": Call<None, Participant[]>;
  "api.getPage": Call<{ id: Id }, ContentPage>;
  "api.listSlides": Call<{ type?: string }, Slide[]>;
  "api.listPopups": Call<None, Popup[]>;
  "api.getGeo": Call<None, Geo>;
  /** null if the channel has no such form. */
  "api.getCustomForm": Call<{ alias: string }, CustomForm | null>;

  /** The handle of `{ alias, values }`; it is also the submission's Idempotency-Key. */
  "api.submitCustomForm": Call<{ handle: Handle }, null>;

  "api.listEvents": Call<{ filter: EventFilter }, Listing<Event>>;
  "api.listHomeRails": Call<None, HomeRail[]>;
  "api.listFavouriteEvents": Call<{ filter: EventFilter }, Listing<Event>>;
  /** Start times of the listed events, in Unix seconds, ascending. */
  "api.listEventStarts": Call<{ filter: EventFilter }, number[]>;
  /** Events that have clips. */
  "api.listEventsWithClip": Call<{ filter: EventFilter }, Listing<Event>>;
  "api.getEvent": Call<{ id: Id }, Event>;
  "api.search": Call<{ q: string }, SearchResults>;
  /** The handle of a signed, expiring address, which the account port holds. */
  "api.downloadEvent": Call<{ id: Id }, { handle: Handle }>;

  "api.listPackages": Call<None, Package[]>;
  "api.getPackage": Call<{ id: Id }, Package>;
  "api.listPackageContents": Call<None, PackageContent[]>;
  "api.listSubscriptions": Call<None, Subscription[]>;
  "api.listOrders": Call<{ limit?: number; offset?: number }, Listing<Order>>;
  "api.getOrder": Call<{ id: Id } & BuyerArgs, Order>;
  "api.applyCoupon": Call<{ type: OrderType; id: Id; code: string }, Coupon>;
  "api.listCards": Call<None, Card[]>;
  "api.getCustomerPortal": Call<None, { url: string }>;
  "api.buy": Call<
    {
      idempotency_key: string;
      type: OrderType;
      id: Id;
      single_event_package_id?: Id;
      participant_id?: Id;
      payment_method_id: string;
      save_card?: boolean;
      promo_code?: string;
      expected_total?: Money;
      expected_service_fee?: Money;
      expected_renewal_price?: Money;
      currency?: string;
    } & BuyerArgs,
    Order
  >;
  "api.startTrial": Call<
    {
      idempotency_key: string;
      subscription_id: Id;
      payment_method_id: string;
      expected_total?: Money;
      expected_renewal_price?: Money;
      expected_trial_days?: number;
      currency?: string;
    } & BuyerArgs,
    Order
  >;
  /** Stores the payments and refunds in the account port; answers their number. */
  "api.listTransactions": Call<None, { total: number }>;
  /** `pressed_ago_s`: age of a request that couldn't be sent at once. */
  "api.unsubscribe": Call<{ subscription_id: Id; pressed_ago_s?: number }, null>;
  "api.resumeRenewal": Call<{ subscription_id: Id }, null>;
  "api.useCard": Call<{ subscription_id: Id; payment_method_id: string }, null>;
  /** Saves a card; with `is_default` it becomes the preselected one. */
  "api.saveCard": Call<{ payment_method_id: string; is_default?: boolean }, null>;
  "api.removeCard": Call<{ payment_method_id: string }, null>;
  /** Turns the card behind the handle into the provider's opaque id. The card's number never enters an action. */
  "payments.createCard": Call<{ handle: Handle } & BuyerArgs, { payment_method_id: string }>;
  /** The bank's step (3-D Secure) for an order with a `next_action`. */
  "payments.confirm": Call<{ order_id: Id } & BuyerArgs, null>;

  "api.listVodRails": Call<None, VodRail[]>;
  "api.listVodItems": Call<{ limit?: number; offset?: number; category_id?: Id }, Listing<VodItem>>;
  "api.getVodItem": Call<{ id: Id }, VodItem>;
  "api.listVodCategories": Call<None, VodCategory[]>;
  "api.searchVod": Call<{ title: string; limit: number; offset: number; sort_field: string }, Listing<VodItem>>;

  "api.listEventClips": Call<{ event_id: Id }, Clip[]>;
  /** The clips of a library video. */
  "api.listVodClips": Call<{ vod_id: Id }, Clip[]>;
  "api.listUserClips": Call<None, Clip[]>;
  "api.getSharedClip": Call<{ id: Id; uuid: string }, Clip>;
  "api.downloadClip": Call<{ id: Id }, { handle: Handle }>;
  "api.deleteClip": Call<{ id: Id }, null>;

  "api.listFavourites": Call<None, Favourite[]>;

  "api.listPlayback": Call<None, PlaybackPosition[]>;
  /** Answers the position now stored. */
  "api.savePlayback": Call<PlaybackPosition, PlaybackPosition>;

  /** A new analytics session id. */
  "api.getAnalyticsSession": Call<None, string>;

  /** Opens the status socket; frames then arrive as inputs until `sync/closed`. */
  "sync.connect": Call<{ resume: ResumePosition | null }, Welcome>;
  "sync.close": Call<None, null>;
  "sync.watch": Call<{ kind: WatchKind; id: Id }, null>;
  "sync.unwatch": Call<{ kind: WatchKind; id: Id }, null>;

  /** Answers once the item is stored. Its result arrives as `outbox/itemAnswered`. */
  "outbox.put": Call<{ item: OutboxItem }, null>;
  /** Sends waiting favourites and clips. Each item's outcome arrives as an input before this answers. */
  "outbox.drain": Call<None, DrainReport>;
  /** Sends waiting analytics. They get `profile` and `session` when sent, and wait without them. */
  "outbox.drainAnalytics": Call<{ session: AnalyticsIdentity | null }, DrainReport>;
  /** Discards waiting analytics after the viewer refused recording. */
  "outbox.forget": Call<{ kind: "analytics" }, null>;

  /** Answers once everything recorded so far is durable. */
  "storage.flush": Call<None, null>;

  /** Loads the channel's tag manager container into the page. */
  "ui.openTagManager": Call<{ container: string }, null>;
  /** Pushes an entry to the tag manager's data layer. */
  "ui.tag": Call<{ entry: { event: string; [field: string]: Json } }, null>;
  /** Reloads the page. */
  "ui.reload": Call<None, null>;
  /** Leaves for a page outside the site: the customer portal. */
  "ui.openUrl": Call<{ url: string }, null>;
  /** Downloads the file whose address is behind the handle. */
  "ui.download": Call<{ handle: Handle }, null>;
}

export type Method = keyof Calls;
export type CallOrigin = "timer" | "api" | "sync" | "storage" | "ui";

interface MethodFacts<Args> {
  /** The answering component, as written in the log. */
  origin: CallOrigin;
  /** Distinguishes calls of the method in the log: an allow-listed field, never secret or personal. */
  identity(args: Args): string;
}

const one = (): string => "";
const byId = (args: { id: Id }): string => String(args.id);
const api = { origin: "api", identity: one } as const;
const apiBy = <A>(identity: (args: A) => string) => ({ origin: "api", identity }) as const;
const apiById = apiBy(byId);
const byKey = apiBy((args: { idempotency_key: string }) => args.idempotency_key);
const bySubscription = apiBy((args: { subscription_id: Id }) => String(args.subscription_id));
const sync = { origin: "sync", identity: one } as const;
const resource = (args: { kind: string; id: Id }): string => `${args.kind}/${args.id}`;
const watched = { origin: "sync", identity: resource } as const;
const storage = { origin: "storage", identity: one } as const;
const ui = { origin: "ui", identity: one } as const;

/** Fields of a filter in a fixed order, so that equal filters make the same call. */
const filterIdentity = ({ filter }: { filter: EventFilter }): string =>
  Object.entries(filter)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${String(value)}`)
    .join("&");

export const methods: { readonly [M in Method]: MethodFacts<Calls[M]["args"]> } = {
  "clock.sleep": { origin: "timer", identity: ({ purpose }) => purpose },
  "account.status": api,
  "api.getChannelKey": api,
  "api.getApiKey": api,
  "api.login": api,
  "api.register": api,
  "api.startSocialLogin": apiBy(({ provider }) => provider),
  "api.socialLogin": apiBy(({ provider }) => provider),
  "api.logout": api,
  "api.verifyEmail": api,
  "api.requestVerification": api,
  "api.requestPasswordReset": api,
  "api.resetPassword": api,
  "api.requestAccountDeletion": api,
  "api.confirmAccountDeletion": api,
  "api.addSession": api,
  "api.deviceLogin": api,
  "api.listSessions": api,
  "api.revokeSession": apiById,
  "api.unlinkLogin": apiBy(({ provider }) => provider),
  "api.getProfile": api,
  "api.updateProfile": api,
  "api.getUserAccess": api,
  "api.getBootstrap": api,
  "api.getParticipants": api,
  "api.getPage": apiById,
  "api.listSlides": apiBy(({ type }) => type ?? ""),
  "api.listPopups": api,
  "api.getGeo": api,
  "api.getCustomForm": apiBy(({ alias }) => alias),
  "api.submitCustomForm": api,
  "api.listEvents": apiBy(filterIdentity),
  "api.listEventStarts": apiBy(filterIdentity),
  "api.listHomeRails": api,
  "api.listFavouriteEvents": apiBy(filterIdentity),
  "api.listEventsWithClip": apiBy(filterIdentity),
  "api.getEvent": apiById,
  "api.search": apiBy(({ q }) => q),
  "api.downloadEvent": apiById,
  "api.listPackages": api,
  "api.getPackage": apiById,
  "api.listPackageContents": api,
  "api.listSubscriptions": api,
  "api.listOrders": apiBy(({ limit, offset }) => `${limit ?? ""},${offset ?? ""}`),
  "api.getOrder": apiById,
  "api.applyCoupon": apiBy(({ type, id }) => `${type}/${id}`),
  "api.listCards": api,
  "api.getCustomerPortal": api,
  "api.buy": byKey,
  "api.startTrial": byKey,
  "api.listTransactions": api,
  "api.unsubscribe": bySubscription,
  "api.resumeRenewal": bySubscription,
  "api.useCard": bySubscription,
  "api.saveCard": api,
  "api.removeCard": api,
  "payments.createCard": api,
  "payments.confirm": apiBy(({ order_id }) => String(order_id)),
  "api.listVodRails": api,
  "api.listVodItems": apiBy(({ category_id, limit, offset }) => `${category_id ?? ""},${limit ?? ""},${offset ?? ""}`),
  "api.getVodItem": apiById,
  "api.listVodCategories": api,
  "api.searchVod": apiBy(({ title, offset }) => `${title},${offset}`),
  "api.listEventClips": apiBy(({ event_id }) => String(event_id)),
  "api.listVodClips": apiBy(({ vod_id }) => String(vod_id)),
  "api.listUserClips": api,
  "api.getSharedClip": apiById,
  "api.downloadClip": apiById,
  "api.deleteClip": apiById,
  "api.listFavourites": api,
  "api.listPlayback": api,
  "api.savePlayback": apiById,
  "api.getAnalyticsSession": api,
  "sync.connect": sync,
  "sync.close": sync,
  "sync.watch": watched,
  "sync.unwatch": watched,
  "outbox.put": { origin: "storage", identity: ({ item }) => item.id },
  "outbox.drain": storage,
  "outbox.drainAnalytics": storage,
  "storage.flush": storage,
  "outbox.forget": { origin: "storage", identity: ({ kind }) => kind },
  "ui.openTagManager": { origin: "ui", identity: ({ container }) => container },
  "ui.tag": { origin: "ui", identity: ({ entry }) => entry.event },
  "ui.reload": ui,
  "ui.openUrl": ui,
  "ui.download": ui,
};
