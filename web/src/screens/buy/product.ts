import { useSearchParams } from "react-router";
import type { Title } from "../../components/event/FixtureName";
import { initialsOf } from "../../components/picture/Crest";
import type { Picture } from "../../components/picture/Poster";
import type { Id, OrderType, Package, Participant } from "../../contracts/resources";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import type { PurchaseChoice, PurchaseKind, PurchaseRequest } from "../../machines/purchase";
import { idOf, linkTo, soldBy } from "../../navigation";
import { selectPackage, selectParticipants, selectSubscriptions } from "../../slices/catalogue";
import { selectEvent } from "../../slices/events";
import { selectTrialAvailable } from "../../slices/user";
import { useEventView } from "../eventViews";
import { useAppSelector } from "../state";
import { useRead } from "../useRead";
import { periodOf } from "../watch/offers";

/** Parameters of the buy page's address. */
export interface BuyTarget {
  readonly kind: PurchaseKind;
  readonly id: Id | null;
  readonly singleEventPackageId: Id | null;
  readonly participantId: Id | null;
}

/** The product on the buy page. Money in minor units. */
export interface Product {
  readonly name: Title;
  readonly about: string;
  readonly picture: Picture;
  readonly line: "live" | "upcoming" | "finished";
  readonly basePrice: number;
  readonly serviceFee: number;
  readonly currency: string;
  readonly period: "month" | "year" | null;
  readonly trialDays: number;
  /** Teams to choose from; empty if no choice is needed. */
  readonly teams: readonly Participant[];
  readonly back: string;
  /** Path of the page to watch it on. */
  readonly to: string;
}

/**
 * Parses the address: `event_id` and its single-event package, `package_id` and a team, or `subscription_id` (PAY-1).
 */
export function buyTargetOf(params: URLSearchParams): BuyTarget {
  const { type, id } = soldBy((key) => params.get(key));
  return {
    kind: type === "subscription" && params.get("type") === "trial" ? "trial" : type,
    id,
    singleEventPackageId: type === "event" ? idOf(params.get("single_event_package_id")) : null,
    participantId: type === "package" ? idOf(params.get("participant_id")) : null,
  };
}

export const orderTypeOf = (kind: PurchaseKind): OrderType => (kind === "trial" ? "subscription" : kind);

/** The purchase request without a payment method. */
export function choiceOf({ kind, id, singleEventPackageId, participantId }: BuyTarget): PurchaseChoice {
  return {
    kind,
    id,
    ...(singleEventPackageId === null ? {} : { single_event_package_id: singleEventPackageId }),
    ...(participantId === null ? {} : { participant_id: participantId }),
  };
}

/** Whether a purchase request is for the page's product. */
export const isTargetOf = (target: BuyTarget, request: PurchaseRequest | undefined): boolean =>
  request !== undefined &&
  request.kind === target.kind &&
  request.id === target.id &&
  (request.participant_id ?? null) === target.participantId;

/** The buy page of a purchase request. */
export const linkToPurchase = ({ kind, id, ...named }: PurchaseRequest): string =>
  linkTo(
    "buy",
    {},
    {
      type: kind,
      ...(kind === "event"
        ? { event_id: id, single_event_package_id: named.single_event_package_id }
        : kind === "package"
          ? { package_id: id, participant_id: named.participant_id }
          : { subscription_id: id }),
    },
  );

/** Whether the address names a subscription and the viewer still has its trial, which is then sold (SUB-4). */
export function useTrialInstead({ kind, id }: BuyTarget): boolean {
  const [params] = useSearchParams();
  const isUnused = useAppSelector(selectTrialAvailable);
  const subscription = useAppSelector(selectSubscriptions).find((one) => one.id === id);
  return kind === "subscription" && !params.has("type") && isUnused && (subscription?.trial_period ?? 0) > 0;
}

/** Whether a package is sold for a team. */
const hasTeam = ({ is_team_pass, participants }: Package, id: Id | null): boolean =>
  is_team_pass && id !== null && participants.includes(id);

/** The product of the address; null while loading or if it doesn't exist. */
export function useProduct(): {
  readonly target: BuyTarget;
  readonly product: Product | null;
  readonly at: string;
  readonly missing: boolean;
  readonly retry: () => void;
} {
  const { t } = useTexts();
  const formats = useFormats();
  const [params] = useSearchParams();
  const named = buyTargetOf(params);
  const { kind, id } = named;
  const { at, missing, retry } = useRead(
    id === null
      ? null
      : kind === "event"
        ? { method: "api.getEvent", args: { id } }
        : kind === "package"
          ? { method: "api.getPackage", args: { id } }
          : { method: "api.listSubscriptions", args: {} },
  );
  const event = useAppSelector(selectEvent(kind === "event" ? (id ?? 0) : 0));
  const bundle = useAppSelector(selectPackage(kind === "package" ? (id ?? 0) : 0));
  const subscription = useAppSelector(selectSubscriptions).find((one) => one.id === id);
  // An address may be shared, typed or old: the product decides how it is sold.
  const target: BuyTarget = {
    ...named,
    kind: kind === "trial" && subscription?.trial_period === 0 ? "subscription" : kind,
    singleEventPackageId: event ? (event.single_event_package_id ?? null) : named.singleEventPackageId,
    participantId: bundle && !hasTeam(bundle, named.participantId) ? null : named.participantId,
  };
  const participants = useAppSelector(selectParticipants);
  const view = useEventView();
  const figure = (name: string): Picture => ({
    kind: "figure",
    floor: "track",
    figure: initialsOf(name).slice(0, 1),
    color: "#1f4a8a",
    ink: "#f4b942",
  });
  const product = ((): Product | null => {
    if (kind === "event" && event) {
      const eventView = view(event);
      return {
        name: eventView.title,
        about: `${eventView.kind}, ${formats.longDay(eventView.startsAt)} ${formats.time(eventView.startsAt)}`,
        picture: eventView.picture,
        line: eventView.status,
        basePrice: event.base_price,
        serviceFee: event.service_fee,
        currency: event.currency,
        period: null,
        trialDays: 0,
        teams: [],
        back: eventView.to,
        to: eventView.to,
      };
    }
    if (kind === "package" && bundle) {
      const team = participants.find((one) => one.id === target.participantId);
      const unavailable = new Set(bundle.disabled_participants);
      return {
        name: team ? t("packages.ofTeam", { name: bundle.name, team: team.name }) : bundle.name,
        about: bundle.description,
        picture: figure(bundle.name),
        line: "upcoming",
        basePrice: bundle.base_price,
        serviceFee: bundle.service_fee,
        currency: bundle.currency,
        period: null,
        trialDays: 0,
        teams: bundle.is_team_pass
          ? participants.filter((one) => bundle.participants.includes(one.id) && !unavailable.has(one.id))
          : [],
        back: linkTo("packages"),
        to: linkTo("activeOrders"),
      };
    }
    if ((kind === "subscription" || kind === "trial") && subscription) {
      return {
        name: subscription.name,
        about: subscription.description || t("buy.subscription"),
        picture: figure(subscription.name),
        line: "upcoming",
        basePrice: subscription.base_price,
        serviceFee: subscription.service_fee,
        currency: subscription.currency,
        period: periodOf(subscription),
        trialDays: target.kind === "trial" ? subscription.trial_period : 0,
        teams: [],
        back: linkTo("packages"),
        to: linkTo("activeOrders"),
      };
    }
    return null;
  })();
  return { target, product, at, missing, retry };
}
