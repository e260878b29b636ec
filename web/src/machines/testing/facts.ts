import type { OrderStatus } from "../../contracts/resources";
import type { AnalyticsSessionFacts } from "../analyticsSession";
import type { AuthFacts } from "../auth";
import type { AutoRenewFacts } from "../autoRenew";
import type { ClipFacts, ClipRequest } from "../clip";
import type { ConnectionFacts } from "../connection";
import type { FormFacts } from "../form";
import type { LoginFacts } from "../login";
import type { OutboxItemFacts, OutboxRunFacts } from "../outbox";
import type { PrerollFacts } from "../preroll";
import type { OrderSeen, PurchaseFacts, PurchaseRequest } from "../purchase";
import type { ReachabilityFacts } from "../reachability";
import type { StartupFacts } from "../startup";
import { aProfile } from "./profile";

/** Payloads of every fact, chosen so that together they reach every state. */
export type Samples<Facts> = { readonly [F in keyof Facts]: readonly Facts[F][] };

const nothing = [undefined] as const;

export const startupFacts: Samples<StartupFacts> = {
  began: [{ shown: true }, { shown: false }],
  channelKeyHeld: nothing,
  apiKeyHeld: nothing,
  keyFailed: [{ stage: "apiKey", reload_at: 60_000, left: 60 }],
  countdownTicked: [{ left: 59 }],
  reloadPressed: nothing,
  partLoaded: [{ part: "profile" }, { part: "channel" }],
  partFailed: [{ part: "participants" }],
  readied: nothing,
  refreshBegan: nothing,
  refreshed: nothing,
  wentStale: nothing,
};

const refusal = { code: "wrong", message: "Wrong auth data.", errors: {} };

export const loginFacts: Samples<LoginFacts> = {
  submitted: [{ way: "login", handle: "h" }],
  refused: [refusal],
  ended: nothing,
  refusalSeen: nothing,
};

export const authFacts: Samples<AuthFacts> = {
  succeeded: [
    { way: "login", user: aProfile(false) },
    { way: "login", user: aProfile(true) },
  ],
  profileLoaded: [{ user: aProfile(false) }, { user: aProfile(true) }],
  profileChanged: [{ user: aProfile(false) }, { user: aProfile(true) }, { user: { ...aProfile(false), id: 8 } }],
  profileWanted: nothing,
  logoutPressed: nothing,
  loggedOut: nothing,
  reset: [{ reason: "profile" }, { reason: "unauthenticated", user_id: 8 }],
};

export const formFacts: Samples<FormFacts> = {
  submitted: [{ key: "profile", handle: "h" }],
  answered: [{ key: "profile" }],
  succeeded: [{ key: "profile" }],
  refused: [{ key: "profile", refusal }],
  left: [{ key: "profile" }],
};

const request: PurchaseRequest = { kind: "event", id: 100, payment_method_id: "pm" };
const of = { key: "k1" } as const;
const seen = (status: OrderStatus, version: number, order_id = 55): OrderSeen => ({
  ...of,
  order_id,
  status,
  version,
  via: "poll",
  failure: null,
});

export const purchaseFacts: Samples<PurchaseFacts> = {
  opened: nothing,
  submitPressed: [{ choice: { kind: "event", id: 100 } }],
  refused: [
    { key: null, code: "offline", message: "You are offline." },
    { key: null, code: "cut_off", message: "You haven’t been charged.", request },
    {
      key: "k1",
      code: "price_changed",
      message: "The price has changed.",
      price: { base_price: 8, discount: 0, service_fee: 1, total: 9, currency: "USD" },
    },
  ],
  refusalLifted: nothing,
  submitted: [
    { key: "k1", request },
    { key: "k2", user_id: 7, request: { ...request, id: 101, payment_method_id: null } },
  ],
  accepted: [{ ...of, order_id: 55, version: 1 }],
  confirmationAsked: [{ ...of, order_id: 55, version: 1 }],
  confirmed: [of],
  confirmationRefused: [{ ...of, message: "no" }],
  pollScheduled: [{ ...of, at: 2_000 }],
  pollRested: [of],
  orderSeen: [
    seen("created", 1),
    seen("created", 3),
    seen("paid", 2),
    seen("paid", 0),
    seen("paid", 9, 56),
    seen("failed", 2),
    seen("refunded", 4),
  ],
  interrupted: [
    { ...of, message: "away" },
    { ...of, message: "broken", status: 500 },
  ],
  resumed: [{ ...of, by: "retry" }],
  retryPressed: nothing,
  popupClosed: nothing,
  resultShown: [{ order_id: 55 }, { order_id: 56 }, { order_id: null }],
  abandoned: [of],
};

const key = "60";

export const autoRenewFacts: Samples<AutoRenewFacts> = {
  cancelPressed: [{ key }],
  cancelBegan: [{ key }, { key, pressed_at: 5 }],
  cancelled: [{ key }],
  finished: [{ key }],
  failed: [{ key, message: "no" }],
  keepPressed: [{ key }],
  keepBegan: [{ key }],
  keepFailed: [{ key, message: "no" }],
  renewed: [{ key }],
};

const cut: ClipRequest = { event_id: 1, name: "n", start_time: 0, duration: 1, tags: ["t"], event_media_id: 2 };

export const clipFacts: Samples<ClipFacts> = {
  submitPressed: [{ key, request: cut, media_duration: 9 }],
  rejected: [{ key, message: "Please select tag." }],
  submitted: [{ key, request: cut, late_at: 300_000 }],
  seen: [
    { key, clip_id: 70, status: "queued", version: 1 },
    { key, clip_id: 70, status: "queued", version: 5 },
    { key, clip_id: 70, status: "processing", version: 2 },
    { key, clip_id: 70, status: "ready", version: 3 },
    { key, clip_id: 70, status: "failed", version: 3 },
    { key, clip_id: 71, status: "ready", version: 9 },
  ],
  failed: [{ key, message: "no" }],
  ranLate: [{ key }],
  dismissed: [{ key }],
};

export const prerollFacts: Samples<PrerollFacts> = {
  wanted: [
    { event_id: 1, event_category_id: 2, location_id: 3, media: "live" },
    { event_id: 4, event_category_id: 2, location_id: 3, media: "vod" },
  ],
  chosen: [{ preroll_id: 80, url: "/p", give_up_at: 10_000 }],
  noneMatched: nothing,
  suppressed: [{ reason: "seen" }],
  firstFrameShown: nothing,
  ended: [{ how: "played" }, { how: "broken", code: "answer_404" }],
  left: nothing,
};

export const analyticsSessionFacts: Samples<AnalyticsSessionFacts> = {
  fetchBegan: nothing,
  fetched: [{ session: "s", expires_at: 1 }],
  fetchFailed: [{ retry_at: 1 }],
  expired: nothing,
};

export const reachabilityFacts: Samples<ReachabilityFacts> = {
  suspected: nothing,
  answered: nothing,
  wentOffline: nothing,
  cameOnline: nothing,
};

export const connectionFacts: Samples<ConnectionFacts> = {
  left: nothing,
  wentOffline: nothing,
  cameOnline: nothing,
  cameBack: nothing,
  connectBegan: [{ attempt: 0, give_up_at: 10_000 }],
  welcomed: [{ position: { epoch: "e", user_seq: 2, channel_seq: 2 }, ping_ms: 20_000, dead_at: 40_000 }],
  connectFailed: [{ code: "network", attempt: 1, until: 1_000 }],
  advanced: [
    { stream: "user", seq: 3 },
    { stream: "channel", seq: 1 },
    { stream: "channel", seq: 4 },
  ],
  pinged: [{ at: 20_000 }],
  closed: [{ code: 1006 }],
  lost: [{ attempt: 1, until: 1_000 }],
  drainAsked: [{ window_ms: 1_000 }],
  drainBegan: [{ until: 1_000 }],
  positionDropped: nothing,
};

export const outboxRunFacts: Samples<OutboxRunFacts> = {
  nudged: nothing,
  drainBegan: nothing,
  drained: nothing,
  deferred: [{ until: 1_000 }, { until: 1_000, asked: true }],
};

export const outboxItemFacts: Samples<OutboxItemFacts> = {
  itemSending: [{ key }],
  itemDone: [{ key }],
  itemDead: [{ key, code: "gone", message: "no" }],
  itemReturned: [{ key }],
};
