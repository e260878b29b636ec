import type { CurrentPrice, Id, Money, OrderStatus, OrderType } from "../contracts/resources";
import { SECOND } from "../lib/time";
import { defineMachine } from "./machine";

export type PurchaseKind = OrderType | "trial";

/** The price on the screen when the viewer pressed: the worker sells at this price or refuses (PAY-10). */
export interface QuotedPrice {
  /** Charged now. */
  readonly total: Money;
  /** Included in the total; absent for a trial. */
  readonly service_fee?: Money;
  /** Subscriptions only. */
  readonly renewal_price?: Money;
  readonly trial_days?: number;
  readonly currency: string;
}

/** The purchase exactly as requested: the same key must always carry the same request. */
export interface PurchaseRequest {
  readonly kind: PurchaseKind;
  readonly id: Id;
  readonly single_event_package_id?: Id;
  readonly participant_id?: Id;
  /** null if the card never became a payment method. */
  readonly payment_method_id: string | null;
  /** For a new card: whether to save it. */
  readonly save_card?: boolean;
  readonly promo_code?: string;
  /** Absent if no price was shown. */
  readonly shown?: QuotedPrice;
}

interface Started {
  /** Idempotency-Key; drawn once, before anything is sent, and unchanged until the purchase ends. */
  readonly key: string;
  /** The buyer: the request isn't sent with another user's key. Absent if nobody was logged in. */
  readonly user_id?: Id;
  readonly request: PurchaseRequest;
}

interface Placed extends Started {
  readonly orderId: Id;
  /** Version of the last order received; an older one is ignored. */
  readonly version: number;
  /** The bank's question was answered: it isn't put again before the order reflects it. */
  readonly confirmed: boolean;
}

/** PAY. A purchase survives a reload in every state. */
export type Purchase =
  | { readonly at: "preparing" }
  | {
      readonly at: "rejected";
      readonly code: string;
      readonly message: string;
      /** Absent if nothing had been submitted. */
      readonly request?: PurchaseRequest;
      /** The current price, if it differs from the displayed one. */
      readonly price?: CurrentPrice;
      /** A page has shown the interruption. */
      readonly shown?: true;
    }
  | (Started & { readonly at: "submitting" })
  | (Placed & { readonly at: "confirming" })
  /** `pollAt`: time of the next poll, in Unix milliseconds; null while the stream is live. */
  | (Placed & { readonly at: "processing"; readonly pollAt: number | null })
  /** No conclusive answer. Without an order it is unknown whether one exists; a request with the same key finds out. */
  | (Started & {
      readonly at: "interrupted";
      readonly message: string;
      /** HTTP status of an inconclusive answer; absent without an answer. */
      readonly status?: number;
      readonly orderId: Id | null;
      readonly version: number;
      readonly confirmed: boolean;
    })
  /** `shown`: a page has displayed it to the viewer. */
  | { readonly at: "succeeded"; readonly orderId: Id; readonly request: PurchaseRequest; readonly shown?: true }
  | {
      readonly at: "failed";
      readonly orderId: Id;
      readonly request: PurchaseRequest;
      readonly message: string;
      readonly popup: boolean;
      /** A page has shown the dialog. */
      readonly shown?: true;
    };

export type ResumeCause = "online" | "push" | "retry" | "load" | "time";

/** The purchase that a fact concerns: two tabs may have started one at the same time. */
interface PurchaseRef {
  key: string;
}

/** An order's status from a poll, a push or an answer. */
export interface OrderSeen extends PurchaseRef {
  order_id: Id;
  status: OrderStatus;
  version: number;
  via: "poll" | "push" | "answer";
  failure: string | null;
}

export interface PurchaseFacts {
  /** A buy page was opened. */
  opened: undefined;
  /** The viewer pressed the button; the choice is checked before any request. */
  submitPressed: { choice: PurchaseChoice };
  /**
   * Refusal of the request under the key; null: of a choice that never became a request, or whose card was never
   * stored.
   */
  refused: { key: string | null; code: string; message: string; price?: CurrentPrice; request?: PurchaseRequest };
  /** The reason for the refusal is gone: the network is back. */
  refusalLifted: undefined;
  submitted: Started;
  accepted: PurchaseRef & { order_id: Id; version: number };
  confirmationAsked: PurchaseRef & { order_id: Id; version: number };
  confirmed: PurchaseRef;
  confirmationRefused: PurchaseRef & { message: string };
  pollScheduled: PurchaseRef & { at: number };
  /** The stream is live now, so polling stops. */
  pollRested: PurchaseRef;
  orderSeen: OrderSeen;
  interrupted: PurchaseRef & { message: string; status?: number };
  resumed: PurchaseRef & { by: ResumeCause };
  retryPressed: undefined;
  popupClosed: undefined;
  /** A page shows the result. null: of a purchase without an order. */
  resultShown: { order_id: Id | null };
  /** The buyer has left the browser, which the page doesn't know yet. */
  abandoned: PurchaseRef;
}

/** The buy page's input when its button is pressed. */
export interface PurchaseChoice {
  readonly kind: PurchaseKind;
  readonly id: Id | null;
  readonly single_event_package_id?: Id;
  readonly participant_id?: Id;
  /** A saved card. */
  readonly payment_method_id?: string;
  /** A new card, behind the account port. */
  readonly card_handle?: string;
  /** New cards only. */
  readonly save_card?: boolean;
  readonly promo_code?: string;
  readonly shown?: QuotedPrice;
}

type At<A extends Purchase["at"]> = Extract<Purchase, { at: A }>;

const FAILED = "Something went wrong. Please try again or contact technical support.";

/** Retry interval of a purchase whose arrival is unknown, while there is a network. */
export const RETRY_INTERVAL = 15 * SECOND;

const started = ({ key, user_id, request }: Started): Started => ({
  key,
  ...(user_id === undefined ? {} : { user_id }),
  request,
});

/** Only one purchase of a browser is in progress at a time. */
export const isInProgress = (state: Purchase): state is Extract<Purchase, { key: string }> => "key" in state;

/** Whether both buy the same item: an event or a team has several offers. */
export const isOfSame = (one: PurchaseRequest, other: PurchaseRequest): boolean =>
  one.kind === other.kind &&
  one.id === other.id &&
  one.single_event_package_id === other.single_event_package_id &&
  one.participant_id === other.participant_id;

const submitted = {
  to: ["submitting"],
  move: (_: Purchase, fact: Started): Purchase => ({ at: "submitting", ...started(fact) }),
} as const;

const refused = {
  to: ["rejected"],
  move: (_: Purchase, { code, message, request }: PurchaseFacts["refused"]): Purchase => ({
    at: "rejected",
    code,
    message,
    ...(request === undefined ? {} : { request }),
  }),
} as const;

/** The worker or an intermediary refused the request, so there is no order. */
const refusals = {
  to: ["rejected"],
  move: ({ request }: At<"submitting">, { code, message, price }: PurchaseFacts["refused"]): Purchase => ({
    at: "rejected",
    code,
    message,
    request,
    ...(price === undefined ? {} : { price }),
  }),
} as const;

const prepare = { to: ["preparing"], move: (): Purchase => ({ at: "preparing" }) } as const;

/** Applies a newer version of the order; paid and failed end the purchase whatever their source. */
function applyStatus(state: At<"confirming" | "processing" | "interrupted">, fact: OrderSeen): Purchase {
  if (state.orderId === null || fact.order_id !== state.orderId || fact.version < state.version) return state;
  const { orderId, request } = state;
  switch (fact.status) {
    case "paid":
      return { at: "succeeded", orderId, request };
    case "failed":
    case "refunded":
      return { at: "failed", orderId, request, message: fact.failure ?? FAILED, popup: true };
    case "created":
      return fact.version === state.version ? state : { ...state, version: fact.version };
  }
}

const interrupt = {
  to: ["interrupted"],
  move: (
    state: At<"submitting" | "confirming" | "processing">,
    { message, status }: PurchaseFacts["interrupted"],
  ): Purchase => ({
    at: "interrupted",
    ...started(state),
    message,
    ...(status === undefined ? {} : { status }),
    ...(state.at === "submitting"
      ? { orderId: null, version: 0, confirmed: false }
      : { orderId: state.orderId, version: state.version, confirmed: state.confirmed }),
  }),
} as const;

const toConfirming = (state: Started, fact: PurchaseFacts["confirmationAsked"], version: number): Purchase => ({
  at: "confirming",
  ...started(state),
  orderId: fact.order_id,
  version: Math.max(version, fact.version),
  confirmed: false,
});

const accepted = {
  to: ["processing"],
  move: (state: At<"submitting" | "interrupted">, { order_id, version }: PurchaseFacts["accepted"]): Purchase => ({
    at: "processing",
    ...started(state),
    orderId: order_id,
    version: "version" in state ? Math.max(state.version, version) : version,
    confirmed: "confirmed" in state && state.confirmed,
    pollAt: null,
  }),
} as const;

/** Marks the result of an order as displayed, so that only one page shows it (PAY-2). */
const markDisplayed = <S extends At<"succeeded" | "failed">>(
  state: S,
  { order_id }: PurchaseFacts["resultShown"],
): S => (order_id === state.orderId && !state.shown ? { ...state, shown: true } : state);

/** Facts from pages that may arrive in any later state. */
const fromPages = { submitPressed: "ignore", retryPressed: "ignore", resultShown: "ignore" } as const;

export const purchase = defineMachine<Purchase, PurchaseFacts>(
  "purchase",
  { at: "preparing" },
  {
    preparing: {
      ...fromPages,
      opened: "ignore",
      refused,
      submitted,
      popupClosed: "ignore",
    },
    rejected: {
      ...fromPages,
      opened: prepare,
      refused,
      refusalLifted: prepare,
      submitted,
      resultShown: {
        to: ["rejected"],
        move: (state, { order_id }) =>
          order_id === null && state.request !== undefined && !state.shown ? { ...state, shown: true } : state,
      },
      popupClosed: {
        to: ["preparing", "rejected"],
        move: (state): Purchase => (state.request === undefined ? state : { at: "preparing" }),
      },
    },
    submitting: {
      ...fromPages,
      opened: "ignore",
      popupClosed: "ignore",
      refused: refusals,
      accepted,
      confirmationAsked: { to: ["confirming"], move: (state, fact) => toConfirming(state, fact, 0) },
      interrupted: interrupt,
      abandoned: prepare,
    },
    confirming: {
      ...fromPages,
      opened: "ignore",
      popupClosed: "ignore",
      confirmed: {
        to: ["processing"],
        move: (state) => ({ ...state, at: "processing", confirmed: true, pollAt: null }),
      },
      confirmationRefused: {
        to: ["failed"],
        move: ({ orderId, request }, { message }) => ({ at: "failed", orderId, request, message, popup: true }),
      },
      orderSeen: { to: ["confirming", "succeeded", "failed"], move: applyStatus },
      interrupted: interrupt,
      abandoned: prepare,
    },
    processing: {
      ...fromPages,
      opened: "ignore",
      popupClosed: "ignore",
      // An answer older than the viewer's doesn't put the question again.
      confirmationAsked: {
        to: ["confirming", "processing"],
        move: (state, fact) =>
          state.confirmed || fact.order_id !== state.orderId ? state : toConfirming(state, fact, state.version),
      },
      pollScheduled: { to: ["processing"], move: (state, { at }) => ({ ...state, pollAt: at }) },
      pollRested: { to: ["processing"], move: (state) => ({ ...state, pollAt: null }) },
      // Two pages put the bank's question: the first answer counts.
      confirmed: "ignore",
      confirmationRefused: "ignore",
      orderSeen: { to: ["processing", "succeeded", "failed"], move: applyStatus },
      interrupted: interrupt,
      abandoned: prepare,
    },
    interrupted: {
      ...fromPages,
      opened: "ignore",
      popupClosed: "ignore",
      accepted,
      confirmationAsked: { to: ["confirming"], move: (state, fact) => toConfirming(state, fact, state.version) },
      // The answer from a page that put the question before the interruption.
      confirmed: { to: ["interrupted"], move: (state) => ({ ...state, confirmed: true }) },
      confirmationRefused: "ignore",
      interrupted: "ignore",
      orderSeen: { to: ["interrupted", "succeeded", "failed"], move: applyStatus },
      resumed: {
        to: ["submitting", "processing"],
        move: (state) =>
          state.orderId === null
            ? { at: "submitting", ...started(state) }
            : {
                at: "processing",
                ...started(state),
                orderId: state.orderId,
                version: state.version,
                confirmed: state.confirmed,
                pollAt: null,
              },
      },
      abandoned: prepare,
    },
    succeeded: {
      ...fromPages,
      opened: prepare,
      refused,
      submitted: {
        to: ["submitting", "succeeded"],
        // Pressed in two pages at the same time: the item just paid isn't bought again.
        move: (state, fact) => (isOfSame(state.request, fact.request) ? state : { at: "submitting", ...started(fact) }),
      },
      popupClosed: "ignore",
      resultShown: { to: ["succeeded"], move: markDisplayed },
    },
    failed: {
      ...fromPages,
      opened: prepare,
      refused,
      submitted,
      popupClosed: { to: ["failed"], move: (state) => ({ ...state, popup: false }) },
      resultShown: { to: ["failed"], move: markDisplayed },
    },
  },
);
