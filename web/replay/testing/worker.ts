import type { OutboxItem, OutboxOutcome } from "../../src/contracts/outbox";
import type {
  Card,
  Clip,
  ClipStatus,
  Favourite,
  Order,
  OrderStatus,
  PlaybackPosition,
  Profile,
} from "../../src/contracts/resources";
import type { ResourceStatus, Welcome } from "../../src/contracts/sync";
import type { Json } from "../../src/lib/json";
import type { Calls, Method } from "../../src/ports/calls";
import { PortError, type PortErrorJson } from "../../src/ports/error";
import type { Catalogue } from "./catalogue";

/** The bank's reaction to a form's card. */
export type CardOutcome = "pays" | "declined" | "asks" | "asksAndRefuses";

/** Failures in a worker's answers. */
export const failures = {
  network: { code: "network", message: "The network did not answer.", retryable: true },
  unauthenticated: { code: "unauthenticated", message: "user must be logged in", status: 401 },
  apiKey: {
    code: "api_key",
    message: "No channel or api key found.",
    status: 400,
    errors: { api_key: ["Wrong api key."] },
  },
  channelKey: {
    code: "channel_key",
    message: "No channel or api key found.",
    status: 400,
    errors: { channel_key: ["Wrong channel key."] },
  },
  down: {
    code: "unavailable",
    message: "Apologies! Our service is currently experiencing technical difficulties.",
    status: 503,
    retryable: true,
  },
} satisfies Record<string, PortErrorJson>;

/** The scripted worker's outputs. */
export interface WorkerOutputs {
  now(): number;
  /** Runs `run` in `ms` milliseconds. */
  after(ms: number, run: () => void): void;
  /** Sends a frame of the status socket. */
  push(status: ResourceStatus & { seq: number }): void;
  /** Whether the socket is open. */
  isListening(): boolean;
  /** Opens the socket. */
  listen(): void;
  /** Reports the outcome of an outbox item. */
  answered(item: OutboxItem, outcome: OutboxOutcome): void;
}

/** The browser's and worker's data at the start of a session. */
export interface WorkerSetup {
  readonly catalogue: Catalogue;
  /** The user of this browser's key; null for an anonymous one. */
  readonly user: Profile | null;
  /** Whether the browser has a key already. */
  readonly hasKey: boolean;
}

/** A person with an account. */
export const PERSON: Profile = {
  id: 7,
  email_verified: true,
  temporary_password: false,
  trial_period_used: false,
  is_geo_blocked: false,
  capabilities: ["WATCH", "clipping", "DOWNLOAD_CLIP", "VOD_MEDIA_ACCESS"],
  featureCount: { clips: 2, downloads: 1 },
};

const CLIP_STEP = 4_000;
const EPOCH = "0195c000-0000-7000-8000-0000000000e1";
const PING_MS = 25_000;
const SESSION = "0195c000-0000-7000-8000-00000000ab1e";

type Handlers = { readonly [M in Exclude<Method, "clock.sleep">]: (args: Calls[M]["args"]) => Calls[M]["answer"] };

/** A scripted worker: it answers like the real one, and fails on request. */
export interface ScriptedWorker {
  answer(method: string, args: object): unknown;
  /** Makes the next `times` calls of `method` fail. */
  fail(method: Method, error: PortErrorJson, times?: number): void;
  /** Leaves calls of `method` unanswered until switched off. */
  silence(method: Method, silent?: boolean): void;
  isSilent(method: string): boolean;
  /** The bank's reaction to the next card. */
  card: CardOutcome;
  /** Time that an order stays open, in milliseconds. */
  settlesAfter: number;
  /** The result of the next clip. */
  clipOutcome: "ready" | "failed" | "never";
  /** Whether the outbox can send. */
  reachable: boolean;
  /** `Retry-After` for items that can't be sent, in milliseconds. */
  retryAfter: number | null;
  /** The refusal of the outbox's next item. */
  itemRefusal: { code: string; message: string } | null;
  user: Profile | null;
  /** The user of the next login or registration. */
  nextUser: Profile;
  /** Sends the status of an order, a clip, an event or a subscription over the socket. */
  tell(status: ResourceStatus): void;
  order(id: number): Order;
  /** Changes the worker's order without a push. */
  storeOrder(order: Order): void;
  /** Changes the worker's clip without a push. */
  storeClip(clip: Clip): void;
  /** Changes an order's status, and pushes it. */
  settle(id: number, status: OrderStatus, failure?: string): void;
}

export function createScriptedWorker({ catalogue, user, hasKey }: WorkerSetup, outputs: WorkerOutputs): ScriptedWorker {
  const orders = new Map<number, Order>();
  const byKey = new Map<string, number>();
  const clips = new Map<number, Clip>();
  const favourites = new Map<number, Favourite>();
  const waiting: OutboxItem[] = [];
  const failing = new Map<string, PortErrorJson[]>();
  const silent = new Set<string>();
  let key = hasKey;
  let ids = 90_400;
  let seq = { user: 0, channel: 40 };
  let cardFate: CardOutcome = "pays";

  const at = (): string => new Date(outputs.now()).toISOString();
  const notFound = (): never => {
    throw new PortError({ code: "not_found", message: "Not found.", status: 404 });
  };
  const person = (): Profile => {
    if (!worker.user) throw new PortError(failures.unauthenticated);
    return worker.user;
  };
  const login = (): Profile => {
    key = true;
    worker.user = worker.nextUser;
    return worker.user;
  };
  const found = <T>(items: readonly T[], is: (item: T) => boolean): T => items.find(is) ?? notFound();
  const listing = <T>(data: T[], limit = 24, offset = 0) => ({
    data: data.slice(offset, offset + limit),
    meta: { total: data.length, limit, offset },
  });

  function pushStatus(status: ResourceStatus): void {
    seq = { ...seq, [status.stream]: seq[status.stream] + 1 };
    if (outputs.isListening()) outputs.push({ ...status, seq: seq[status.stream] });
  }

  function storeOrder(order: Order): Order {
    orders.set(order.id, order);
    return order;
  }

  function settle(id: number, status: OrderStatus, failure?: string): void {
    const { next_action: _, ...order } = orders.get(id) ?? notFound();
    if (order.status !== "created") return;
    const state: Order = {
      ...order,
      status,
      activity_status: status === "paid" ? "active" : "inactive",
      version: order.version + 1,
      ...(failure === undefined ? {} : { failure }),
    };
    storeOrder(state);
    pushStatus({ stream: "user", kind: "order", id, version: state.version, state });
  }

  const renewing = (subscription_id: number, auto_renew: "active" | "cancelled"): null => {
    for (const order of orders.values())
      if (order.product.id === subscription_id && order.subscription)
        storeOrder({ ...order, version: order.version + 1, subscription: { ...order.subscription, auto_renew } });
    return null;
  };

  function createOrder(
    kind: Order["type"],
    id: number,
    idempotencyKey: string,
    { promo, expected }: { readonly promo?: string | undefined; readonly expected?: number | undefined },
  ): Order {
    const earlier = byKey.get(idempotencyKey);
    if (earlier !== undefined) return orders.get(earlier) ?? notFound();
    const { packages, subscriptions } = catalogue.bootstrap;
    const product =
      kind === "event"
        ? found(catalogue.events, (event) => event.id === id)
        : kind === "package"
          ? found(packages, (item) => item.id === id)
          : found(subscriptions, (item) => item.id === id);
    const discount = promo === "KICKOFF20" ? Math.round(product.base_price * 0.2) : 0;
    const { base_price, service_fee, currency } = product;
    const total = base_price - discount + service_fee;
    if (expected !== undefined && expected !== total)
      throw new PortError({
        code: "price_changed",
        message: "The price has changed. You have not been charged.",
        status: 409,
        details: { price: { base_price, discount, service_fee, total, currency } },
      });
    const asks = cardFate === "asks" || cardFate === "asksAndRefuses";
    ids += 1;
    const order: Order = {
      id: ids,
      type: kind,
      status: "created",
      activity_status: "inactive",
      product: { id, name: product.name },
      base_price,
      discount,
      service_fee,
      total,
      currency,
      created_at: at(),
      version: 1,
      ...(asks ? { next_action: { type: "sandbox_confirm" } } : {}),
      ...(kind === "subscription"
        ? { subscription: { status: "active", auto_renew: "active", current_period_end: at() } }
        : {}),
    };
    byKey.set(idempotencyKey, order.id);
    storeOrder(order);
    if (!asks) outputs.after(worker.settlesAfter, () => conclude(order.id));
    return order;
  }

  function conclude(id: number): void {
    if (cardFate === "declined") settle(id, "failed", "Your card was declined.");
    else settle(id, "paid");
  }

  function moveClip(id: number, status: ClipStatus): void {
    const clip = clips.get(id);
    if (!clip) return;
    const state: Clip = { ...clip, status, version: clip.version + 1 };
    clips.set(id, state);
    pushStatus({ stream: "user", kind: "clip", id, version: state.version, state });
  }

  function makeClip(payload: Extract<OutboxItem, { kind: "clip.create" }>["payload"]): Clip {
    ids += 1;
    const id = ids;
    const fate = worker.clipOutcome;
    const clip: Clip = {
      ...payload,
      id,
      uuid: `c11b0000-0000-4000-8000-${String(id).padStart(12, "0")}`,
      status: "queued",
      created_at: at(),
      version: 1,
    };
    clips.set(id, clip);
    if (fate === "never") return clip;
    outputs.after(CLIP_STEP, () => moveClip(id, "processing"));
    outputs.after(2 * CLIP_STEP, () => moveClip(id, fate));
    return clip;
  }

  function sendItem(item: OutboxItem): OutboxOutcome {
    if (worker.itemRefusal && item.kind !== "analytics") {
      const refusal = worker.itemRefusal;
      worker.itemRefusal = null;
      return { outcome: "dead", ...refusal };
    }
    switch (item.kind) {
      case "analytics":
        return { outcome: "done", answer: null };
      case "clip.create":
        return { outcome: "done", answer: makeClip(item.payload) as unknown as Json };
      case "favourite.add": {
        ids += 1;
        const favourite: Favourite = { id: ids, ...item.payload };
        favourites.set(ids, favourite);
        return { outcome: "done", answer: favourite as unknown as Json };
      }
      case "favourite.remove":
        favourites.delete(item.payload.id ?? 0);
        return { outcome: "done", answer: null };
    }
  }

  const positions = new Map<string, PlaybackPosition>();
  const cards: Card[] = [{ id: "pm_saved", brand: "visa", exp_month: 8, exp_year: 2029 }];

  const handlers: Handlers = {
    "account.status": () => ({ channel_key: key, api_key: key, user_id: worker.user?.id ?? null }),
    "api.getChannelKey": () => null,
    "api.getApiKey": () => {
      key = true;
      return null;
    },
    "api.login": login,
    "api.register": login,
    "api.startSocialLogin": ({ provider }) => ({ url: `https://${provider}.example/authorize` }),
    "api.socialLogin": login,
    "api.logout": () => {
      key = false;
      worker.user = null;
      return null;
    },
    "api.verifyEmail": () => null,
    "api.requestVerification": () => null,
    "api.requestPasswordReset": () => null,
    "api.resetPassword": () => null,
    "api.requestAccountDeletion": () => null,
    "api.confirmAccountDeletion": () => null,
    "api.addSession": () => null,
    "api.deviceLogin": () => notFound(),
    "api.listSessions": () => [
      { id: 1, name: "Firefox on Linux", created_at: at(), last_seen_at: at(), current: true },
      { id: 2, name: "Living room", created_at: at(), last_seen_at: at(), current: false },
    ],
    "api.revokeSession": () => null,
    "api.unlinkLogin": () => null,
    "api.getProfile": person,
    "api.updateProfile": () => {
      worker.user = { ...person(), temporary_password: false };
      return worker.user;
    },
    "api.getUserAccess": () => ({
      watch: true,
      download: false,
      clipping: true,
      download_clip: true,
      no_ads: false,
      vod_media_access: true,
      events: [],
      event_categories: [],
      participants: [],
      subscribed: false,
    }),
    "api.getBootstrap": () => catalogue.bootstrap,
    "api.getParticipants": () => catalogue.participants,
    "api.getPage": ({ id }) => found(catalogue.pages, (page) => page.id === id),
    "api.listSlides": () => [],
    "api.listPopups": () => catalogue.popups,
    "api.getGeo": () => ({ country: "United States", country_code: "US", is_geo_blocked: false }),
    "api.getCustomForm": () => null,
    "api.submitCustomForm": () => null,
    "api.listEvents": ({ filter }) =>
      listing(
        catalogue.events.filter(
          (event) =>
            (filter.stream_status === undefined || event.stream_status === filter.stream_status) &&
            (filter.owned === undefined ||
              (event.has_access && (event.access_type === "paid" || event.access_type === "ppv"))) &&
            (filter.participant === undefined || event.participants.some(({ id }) => id === filter.participant)),
        ),
        filter.limit,
        filter.offset,
      ),
    "api.listHomeRails": () => catalogue.rails,
    "api.listEventStarts": () => catalogue.events.map(({ event_utc_ts }) => event_utc_ts).sort((a, b) => a - b),
    "api.search": ({ q }) => ({
      events: listing(catalogue.events.filter(({ name }) => name.toLowerCase().includes(q.toLowerCase()))),
      participants: listing([]),
      participant_groups: listing([]),
      vod_media_items: listing([]),
      pages: listing([]),
      clips: listing([]),
    }),
    "api.listFavouriteEvents": () => listing([]),
    "api.listEventsWithClip": () => listing([]),
    "api.getEvent": ({ id }) => {
      const event = found(catalogue.events, (one) => one.id === id);
      const owned = [...orders.values()].some(({ product, status }) => product.id === id && status === "paid");
      return owned ? { ...event, has_access: true } : event;
    },
    "api.downloadEvent": ({ id }) => ({ handle: `event-${id}` }),
    "api.listPackages": () => catalogue.bootstrap.packages,
    "api.getPackage": ({ id }) => found(catalogue.bootstrap.packages, (item) => item.id === id),
    "api.listPackageContents": () =>
      catalogue.bootstrap.packages.map(({ id }) => ({ package_id: id, events: 2, singly: 1_000 })),
    "api.listSubscriptions": () => catalogue.bootstrap.subscriptions,
    "api.listOrders": () => listing([...orders.values()]),
    "api.getOrder": ({ id }) => orders.get(id) ?? notFound(),
    "api.applyCoupon": ({ type, id, code }) => {
      if (code !== "KICKOFF20")
        throw new PortError({ code: "wrong_promo_code", message: "Wrong promo code.", status: 400 });
      const { base_price, service_fee, currency } =
        type === "event"
          ? found(catalogue.events, (event) => event.id === id)
          : found(catalogue.bootstrap.packages, (item) => item.id === id);
      const discount = Math.round(base_price * 0.2);
      return { code, base_price, discount, service_fee, total: base_price - discount + service_fee, currency };
    },
    "api.listCards": () => cards,
    "api.getCustomerPortal": () => ({ url: "/profile/transactions" }),
    "api.buy": ({ type, id, idempotency_key, promo_code, expected_total }) =>
      createOrder(type, id, idempotency_key, { promo: promo_code, expected: expected_total }),
    "api.startTrial": ({ idempotency_key, subscription_id }) =>
      createOrder("subscription", subscription_id, idempotency_key, {}),
    "api.listTransactions": () => ({ total: orders.size }),
    "api.unsubscribe": ({ subscription_id }) => renewing(subscription_id, "cancelled"),
    "api.resumeRenewal": ({ subscription_id }) => renewing(subscription_id, "active"),
    "api.useCard": () => null,
    "api.saveCard": () => null,
    "api.removeCard": () => null,
    "payments.createCard": () => {
      cardFate = worker.card;
      return { payment_method_id: `pm_${cards.length + 1}` };
    },
    "payments.confirm": ({ order_id }) => {
      if (cardFate === "asksAndRefuses") {
        throw new PortError({
          code: "authentication_failed",
          message: "The bank did not accept the payment.",
          status: 400,
        });
      }
      outputs.after(worker.settlesAfter, () => settle(order_id, "paid"));
      return null;
    },
    "api.listVodRails": () => catalogue.vodRails,
    "api.listVodItems": ({ limit, offset }) => listing(catalogue.vod, limit, offset),
    "api.getVodItem": ({ id }) => found(catalogue.vod, (item) => item.id === id),
    "api.listVodCategories": () => catalogue.vodCategories,
    "api.searchVod": ({ title, limit, offset }) =>
      listing(
        catalogue.vod.filter((item) => item.title.toLowerCase().includes(title.toLowerCase())),
        limit,
        offset,
      ),
    "api.listEventClips": ({ event_id }) => [...clips.values()].filter((clip) => clip.event_id === event_id),
    "api.listVodClips": ({ vod_id }) => [...clips.values()].filter((clip) => clip.vod_id === vod_id),
    "api.listUserClips": () => [...clips.values()],
    "api.getSharedClip": ({ id }) => clips.get(id) ?? notFound(),
    "api.downloadClip": ({ id }) => ({ handle: `clip-${id}` }),
    "api.deleteClip": ({ id }) => {
      clips.delete(id);
      return null;
    },
    "api.listFavourites": () => [...favourites.values()],
    "api.listPlayback": () => [...positions.values()],
    "api.savePlayback": (position) => {
      positions.set(`${position.kind}/${position.id}`, position);
      return position;
    },
    "api.getAnalyticsSession": () => SESSION,
    "sync.connect": ({ resume }): Welcome => {
      outputs.listen();
      const { user: user_seq, channel: channel_seq } = seq;
      const position = { epoch: EPOCH, channel_seq, ...(worker.user ? { user_seq } : {}), ping_ms: PING_MS };
      if (resume?.epoch === EPOCH && resume.channel_seq === channel_seq) return { ...position, mode: "resumed" };
      const snapshot = worker.user
        ? [...orders.values()].map((state): ResourceStatus => {
            return { stream: "user", kind: "order", id: state.id, version: state.version, state };
          })
        : [];
      return { ...position, mode: "snapshot", snapshot };
    },
    "sync.close": () => null,
    "sync.watch": () => null,
    "sync.unwatch": () => null,
    "outbox.put": ({ item }) => {
      if (!waiting.some(({ id }) => id === item.id)) waiting.push(item);
      return null;
    },
    "outbox.drain": () => {
      const seen = waiting.filter(({ kind }) => kind !== "analytics");
      if (!worker.reachable) return { left: seen.length, retry_after_ms: worker.retryAfter };
      for (const item of seen) {
        waiting.splice(waiting.indexOf(item), 1);
        outputs.answered(item, sendItem(item));
      }
      return { left: 0, retry_after_ms: null };
    },
    "outbox.drainAnalytics": ({ session }) => {
      const unseen = waiting.filter(({ kind }) => kind === "analytics");
      if (!worker.reachable) return { left: unseen.length, retry_after_ms: worker.retryAfter };
      if (session !== null) for (const item of unseen) waiting.splice(waiting.indexOf(item), 1);
      return { left: 0, retry_after_ms: null };
    },
    "outbox.forget": ({ kind }) => {
      for (const item of waiting.filter((one) => one.kind === kind)) waiting.splice(waiting.indexOf(item), 1);
      return null;
    },
    "storage.flush": () => null,
    "ui.openTagManager": () => null,
    "ui.tag": () => null,
    "ui.reload": () => null,
    "ui.openUrl": () => null,
    "ui.download": () => null,
  };

  const worker: ScriptedWorker = {
    card: "pays",
    settlesAfter: 1_500,
    clipOutcome: "ready",
    reachable: true,
    retryAfter: null,
    itemRefusal: null,
    user,
    nextUser: PERSON,
    answer(method, args) {
      const error = failing.get(method)?.shift();
      if (error) throw new PortError(error);
      const handler = handlers[method as keyof Handlers] as ((args: object) => unknown) | undefined;
      if (!handler) throw new Error(`no scripted answer to ${method}`);
      return handler(args);
    },
    fail: (method, error, times = 1) =>
      void failing.set(method, [...(failing.get(method) ?? []), ...Array.from({ length: times }, () => error)]),
    silence(method, isSilent = true) {
      if (isSilent) silent.add(method);
      else silent.delete(method);
    },
    isSilent: (method) => silent.has(method),
    tell: pushStatus,
    order: (id) => orders.get(id) ?? notFound(),
    storeOrder: (order) => void storeOrder(order),
    storeClip: (clip) => void clips.set(clip.id, clip),
    settle,
  };
  return worker;
}
