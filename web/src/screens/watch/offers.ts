import type { Event, EventCategory, Package, Subscription } from "../../contracts/resources";
import { linkTo } from "../../navigation";
import { withDescendants } from "../../slices/catalogue";
import { packagePurchased } from "../../slices/orders";

/** One way to get access to an event. Money in minor units. */
export interface Offering {
  readonly key: string;
  readonly kind: "event" | "package" | "subscription" | "trial";
  readonly name: string;
  /** The team whose pass includes the event. */
  readonly team: string | null;
  readonly basePrice: number;
  readonly serviceFee: number;
  readonly currency: string;
  readonly to: string;
  readonly trialDays: number;
  readonly period: "month" | "year" | null;
}

/** A subscription's billing period, for the site's texts (SUB-5). */
export function periodOf({ offer, period }: Pick<Subscription, "offer" | "period">): "month" | "year" {
  return offer === "annual" || period === "annual" ? "year" : "month";
}

/** Whether a package includes the event: by its category tree, or as a pass of one of its teams. */
function opens(item: Package, event: Event, categories: readonly EventCategory[]): boolean {
  // Pay-per-view events are in no package.
  if (event.access_type === "ppv") return false;
  if (item.is_team_pass) return event.participants.some(({ id }) => item.participants.includes(id));
  return withDescendants(categories, new Set(item.event_categories)).has(event.event_category_id);
}

interface Sold {
  readonly packages: readonly Package[];
  readonly subscriptions: readonly Subscription[];
  readonly categories: readonly EventCategory[];
  readonly trialAvailable: boolean;
}

/** All offers that include the event: the event itself first, then by weight. */
export function offeringsFor(event: Event, sold: Sold): readonly Offering[] {
  const single: Offering[] =
    event.single_event_package_id === undefined
      ? []
      : [
          {
            key: "event",
            kind: "event",
            name: "",
            team: null,
            basePrice: event.base_price,
            serviceFee: event.service_fee,
            currency: event.currency,
            to: linkTo(
              "buy",
              {},
              {
                type: "event",
                event_id: event.id,
                single_event_package_id: event.single_event_package_id,
              },
            ),
            trialDays: 0,
            period: null,
          },
        ];
  const packages = sold.packages
    .filter((item) => item.type !== "single_event" && !packagePurchased(item) && opens(item, event, sold.categories))
    .sort((a, b) => a.weight - b.weight)
    .map((item): Offering => {
      const team = event.participants.find(({ id }) => item.participants.includes(id));
      return {
        key: `package/${item.id}`,
        kind: "package",
        name: item.name,
        team: item.is_team_pass && team ? team.name : null,
        basePrice: item.base_price,
        serviceFee: item.service_fee,
        currency: item.currency,
        to: linkTo(
          "buy",
          {},
          { type: "package", package_id: item.id, ...(item.is_team_pass && team ? { participant_id: team.id } : {}) },
        ),
        trialDays: 0,
        period: null,
      };
    });
  const subscriptions =
    event.access_type === "ppv"
      ? []
      : [...sold.subscriptions]
          .sort((a, b) => a.weight - b.weight)
          .map((item): Offering => {
            const trial = item.trial_period > 0 && sold.trialAvailable;
            return {
              key: `subscription/${item.id}`,
              kind: trial ? "trial" : "subscription",
              name: item.name,
              team: null,
              basePrice: item.base_price,
              serviceFee: item.service_fee,
              currency: item.currency,
              to: linkTo("buy", {}, { type: trial ? "trial" : "subscription", subscription_id: item.id }),
              trialDays: trial ? item.trial_period : 0,
              period: periodOf(item),
            };
          });
  return [...single, ...packages, ...subscriptions];
}
