//! Purchase rules: products for sale and who may buy them (`PAY-1`, `PAY-7`, `PKG-2`, `SUB-4`).

use touchline_protocol::catalogue::{Package, Subscription};
use touchline_protocol::purchases::OrderType;

use crate::categories::Categories;
use crate::entitlements::{Entitlements, EventTerms, event_access, is_purchased};
use crate::periods::BillingPeriod;
use crate::prices::{PriceChanged, WrongPromoCode};
use crate::subscriptions::NewSubscription;

/// Reasons for refusing a purchase.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The channel does not sell this product.
    #[error("the channel does not sell this product")]
    NotSold,
    /// The request names no product.
    #[error("no product is named")]
    NoProduct,
    /// The event is not named by its single-event package id.
    #[error("the event is not named by its package id")]
    OtherEvent,
    /// A team pass without one of its teams.
    #[error("the team pass needs one of its teams")]
    NoTeam,
    /// The product is blocked in the buyer's region.
    #[error("the product is blocked in the buyer's region")]
    GeoBlocked,
    /// The buyer already owns the product or is paying for it.
    #[error("the buyer already owns it")]
    AlreadyBought(OrderType),
    /// The subscription offers no trial.
    #[error("the subscription offers no trial")]
    NoTrial,
    /// The person has already used a trial.
    #[error("the person has already used a trial")]
    TrialUsed,
    /// The promo code does not exist or does not apply to this product.
    #[error(transparent)]
    WrongPromoCode(#[from] WrongPromoCode),
    /// The buyer saw a different price.
    #[error(transparent)]
    PriceChanged(#[from] PriceChanged),
}

/// Contents of an order by kind of product, without its price.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contents {
    /// The event's category.
    pub event_category_id: Option<i64>,
    /// The team of a team pass.
    pub participant_id: Option<i64>,
    /// Categories covered by a package.
    pub event_categories: Vec<i64>,
    /// Length of access in days; 0 for permanent.
    pub period_days: i64,
    /// Present for a subscription.
    pub subscription: Option<NewSubscription>,
}

/// Returns whether the product is blocked in the buyer's region: an event by its own rules, everything by the channel's
/// rules (`GEO-1`).
pub fn is_closed(buyer: &Entitlements, event: Option<&EventTerms<'_>>) -> bool {
    event.map_or(buyer.geo_blocked, |event| buyer.is_event_blocked(event.geo))
}

/// Checks the purchase of a single event. `named` is its single-event package id. An event that a pass or subscription
/// of the buyer opens is not sold again (`PAY-7`).
///
/// # Errors
/// [`Refusal`].
pub fn event(
    event: &EventTerms<'_>,
    named: Option<i64>,
    buyer: &Entitlements,
    categories: &Categories,
) -> Result<Contents, Refusal> {
    if named.is_none() || named != event.single_event_package_id {
        return Err(Refusal::OtherEvent);
    }
    if buyer.events.contains(&event.id) || event_access(buyer, event, categories) {
        return Err(Refusal::AlreadyBought(OrderType::Event));
    }
    Ok(Contents { event_category_id: Some(event.event_category_id), ..Contents::default() })
}

/// Checks the purchase of a package. A team pass includes the chosen team.
///
/// # Errors
/// [`Refusal`].
pub fn package(
    package: &Package,
    team: Option<i64>,
    buyer: &Entitlements,
    categories: &Categories,
) -> Result<Contents, Refusal> {
    let contents = package_contents(package, team)?;
    let is_bought = match contents.participant_id {
        Some(team) => buyer.participants.contains(&team),
        None => is_purchased(buyer, package, categories),
    };
    if is_bought { Err(Refusal::AlreadyBought(OrderType::Package)) } else { Ok(contents) }
}

/// Returns a package's contents for any recipient. A team pass includes the chosen team.
///
/// # Errors
/// [`Refusal::NoTeam`].
pub fn package_contents(package: &Package, team: Option<i64>) -> Result<Contents, Refusal> {
    let period_days = package.period_days;
    if !package.is_team_pass {
        let event_categories = package.event_categories.clone();
        return Ok(Contents { event_categories, period_days, ..Contents::default() });
    }
    let participant_id = Some(team.filter(|team| package.participants.contains(team)).ok_or(Refusal::NoTeam)?);
    Ok(Contents { participant_id, period_days, ..Contents::default() })
}

/// Returns the contents of a subscription with `trial_days` free days before the first payment.
pub fn subscription(subscription: &Subscription, trial_days: i64) -> Contents {
    let period = BillingPeriod::of_plan(&subscription.period);
    let renewal_price = subscription.base_price + subscription.service_fee;
    let renewal_fee = subscription.service_fee;
    let subscription = Some(NewSubscription { period, trial_days, renewal_price, renewal_fee });
    Contents { subscription, ..Contents::default() }
}

/// Returns the trial length that this person may start, in days.
///
/// # Errors
/// [`Refusal::NoTrial`], [`Refusal::TrialUsed`].
pub fn trial_days(subscription: &Subscription, was_used: bool) -> Result<i64, Refusal> {
    if subscription.trial_period <= 0 {
        return Err(Refusal::NoTrial);
    }
    if was_used { Err(Refusal::TrialUsed) } else { Ok(subscription.trial_period) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use touchline_protocol::catalogue::AccessType;

    use super::*;
    use crate::entitlements::tests::{categories, event as an_event, with};

    fn a_package(is_team_pass: bool) -> Package {
        serde_json::from_value(json!({
            "id": 1, "name": "", "price": 0, "base_price": 0, "service_fee": 0, "currency": "USD", "type": "pass",
            "is_team_pass": is_team_pass, "event_categories": [11, 12], "participants": [101, 102], "weight": 0,
            "period_days": 30
        }))
        .unwrap()
    }

    fn a_subscription(period: &str, trial_period: i64) -> Subscription {
        serde_json::from_value(json!({
            "id": 1, "name": "", "price": 1045, "base_price": 995, "service_fee": 50, "currency": "USD", "offer": "",
            "period": period, "trial_period": trial_period, "weight": 0, "description": ""
        }))
        .unwrap()
    }

    #[test]
    fn an_event_is_bought_once_by_its_single_event_package() {
        let record = an_event(AccessType::Ppv);
        let terms = EventTerms { single_event_package_id: Some(9), ..record.terms() };
        let nobody = with(|_| {});
        for named in [None, Some(8)] {
            assert_eq!(event(&terms, named, &nobody, &categories()), Err(Refusal::OtherEvent), "{named:?}");
        }
        assert_eq!(event(&terms, Some(9), &nobody, &categories()).unwrap().event_category_id, Some(11));
        let owner = with(|viewer| viewer.events.extend([1]));
        assert_eq!(event(&terms, Some(9), &owner, &categories()), Err(Refusal::AlreadyBought(OrderType::Event)));
        assert_eq!(
            event(&record.terms(), None, &nobody, &categories()),
            Err(Refusal::OtherEvent),
            "it is not sold individually"
        );
    }

    #[test]
    fn an_event_that_a_pass_or_subscription_opens_is_not_sold_again() {
        let subscriber = with(|viewer| viewer.subscribed = true);
        let owners = [
            subscriber.clone(),
            with(|viewer| viewer.categories.extend([11])),
            with(|viewer| viewer.participants.extend([101])),
        ];
        let paid = an_event(AccessType::Paid);
        let terms = EventTerms { single_event_package_id: Some(9), ..paid.terms() };
        for owner in owners {
            let refusal = Err(Refusal::AlreadyBought(OrderType::Event));
            assert_eq!(event(&terms, Some(9), &owner, &categories()), refusal, "{owner:?}");
        }
        let ppv = an_event(AccessType::Ppv);
        let terms = EventTerms { single_event_package_id: Some(9), ..ppv.terms() };
        assert!(event(&terms, Some(9), &subscriber, &categories()).is_ok(), "a subscription does not open it");
    }

    #[test]
    fn a_team_pass_needs_one_of_its_teams_not_owned_yet() {
        let buy = |team, buyer: &Entitlements| package(&a_package(true), team, buyer, &categories());
        let nobody = with(|_| {});
        for team in [None, Some(103)] {
            assert_eq!(buy(team, &nobody), Err(Refusal::NoTeam), "{team:?}");
        }
        let bought = buy(Some(101), &nobody).unwrap();
        assert_eq!((bought.participant_id, bought.event_categories.len(), bought.period_days), (Some(101), 0, 30));
        let owner = with(|viewer| viewer.participants.extend([101]));
        assert_eq!(buy(Some(101), &owner), Err(Refusal::AlreadyBought(OrderType::Package)));
        assert!(buy(Some(102), &owner).is_ok());
    }

    #[test]
    fn a_package_can_be_bought_until_all_of_it_is_owned() {
        let buy = |buyer: &Entitlements| package(&a_package(false), Some(101), buyer, &categories());
        let bought = buy(&with(|viewer| viewer.categories.extend([11]))).unwrap();
        assert_eq!((bought.participant_id, bought.event_categories), (None, vec![11, 12]));
        let owner = with(|viewer| viewer.categories.extend([11, 12]));
        assert_eq!(buy(&owner), Err(Refusal::AlreadyBought(OrderType::Package)));
    }

    #[test]
    fn a_trial_must_be_offered_and_be_the_persons_first() {
        assert_eq!(trial_days(&a_subscription("monthly", 0), false), Err(Refusal::NoTrial));
        assert_eq!(trial_days(&a_subscription("monthly", 7), true), Err(Refusal::TrialUsed));
        assert_eq!(trial_days(&a_subscription("monthly", 7), false), Ok(7));
    }

    #[test]
    fn a_subscription_renews_at_its_price_plus_fee() {
        for (text, period) in [("monthly", BillingPeriod::Monthly), ("annual", BillingPeriod::Annual)] {
            let bought = subscription(&a_subscription(text, 7), 7).subscription;
            assert_eq!(
                bought,
                Some(NewSubscription { period, trial_days: 7, renewal_price: 1045, renewal_fee: 50 }),
                "{text}"
            );
        }
    }

    #[test]
    fn products_follow_the_channels_geo_rules_and_events_add_more() {
        let mut record = an_event(AccessType::Ppv);
        let open = with(|viewer| viewer.country = Some("CA".to_owned()));
        assert!(!is_closed(&open, None) && !is_closed(&open, Some(&record.terms())));
        record.close_to("CA");
        assert!(!is_closed(&open, None) && is_closed(&open, Some(&record.terms())));
        let shut_out = with(|viewer| viewer.geo_blocked = true);
        assert!(is_closed(&shut_out, None));
    }
}
