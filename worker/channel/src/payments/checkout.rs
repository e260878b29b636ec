//! What may be bought, and by whom (`PAY-1`, `PAY-7`, `PKG-2`, `SUB-4`).

use touchline_domain::prices::{Offer, Quote, Shown};
use touchline_protocol::purchases::{Buy, Order, OrderType, StartTrial};
use touchline_store::{IdempotencyClaim, NewOrder, NewSubscription, Placed, User};

use super::prices::{offer, quote};
use crate::catalogue::access::is_purchased;
use crate::catalogue::{ChannelSnapshot, Entitlements};
use crate::http::{ApiError, ApiResult, Caller, messages};
use crate::payments::guesses::guarded;
use crate::state::AppState;

/// Places the order of a purchase. It is charged behind the call.
///
/// # Errors
/// 400 for a purchase that the rules refuse, 403 for one that is closed to the buyer's region, 404 for a product that is
/// not sold, 409 with the present price where the buyer was shown another.
pub async fn buy(
    state: &AppState,
    caller: &Caller,
    user: &User,
    buy: &Buy,
    claim: Option<IdempotencyClaim>,
) -> ApiResult<Order> {
    if buy.id <= 0 {
        return Err(ApiError::field("id", "id_not_selected", messages::ID_NOT_SELECTED));
    }
    let channel = &caller.channel;
    let offer = offer(channel, buy.kind, buy.id)?;
    let has = state.entitlements(caller).await?;
    if is_closed(channel, &has, buy.kind, buy.id) {
        return Err(ApiError::GEO_BLOCKED);
    }
    let code = buy.promo_code.as_deref();
    let quoted = guarded(state, caller, user.id, code, || quote(channel, &offer, code))?;
    let mut new = new_order(state, channel, user, &offer, quoted.clone());
    match buy.kind {
        OrderType::Event => check_event(channel, &has, buy, &mut new)?,
        OrderType::Package => check_package(channel, &has, buy, &mut new)?,
        OrderType::Subscription => {
            if has.subscribed && owns_subscription(state, user, buy.id).await? {
                return Err(already_bought(OrderType::Subscription));
            }
            new.subscription = subscription(channel, &offer, 0);
        }
    }
    let shown = Shown {
        total: buy.expected_total,
        service_fee: buy.expected_service_fee,
        renewal_price: buy.expected_renewal_price,
        trial_days: None,
        currency: buy.currency.as_deref(),
    };
    shown.holds_for(&quoted, new.subscription)?;
    new.payment_method_id = own_card(state, user, &buy.payment_method_id).await?;
    place(state, new, claim).await
}

/// Places the order of a trial: nothing is paid until it ends.
///
/// # Errors
/// 400 for a trial that was used or is not offered, 403 where the channel is closed to the buyer's region, 404 for a
/// subscription that is not sold, 409 with the present price and days where the buyer was shown others.
pub async fn start_trial(
    state: &AppState,
    caller: &Caller,
    user: &User,
    trial: &StartTrial,
    claim: Option<IdempotencyClaim>,
) -> ApiResult<Order> {
    let channel = &caller.channel;
    let offer = offer(channel, OrderType::Subscription, trial.subscription_id)?;
    if caller.is_geo_blocked() {
        return Err(ApiError::GEO_BLOCKED);
    }
    let days = channel.subscription(trial.subscription_id).map_or(0, |subscription| subscription.trial_period);
    if days <= 0 {
        return Err(ApiError::field("subscription_id", "no_trial", messages::NO_TRIAL));
    }
    if user.trial_period_used {
        return Err(trial_used());
    }
    let mut quote = quote(channel, &offer, None)?;
    (quote.discount, quote.service_fee) = (quote.base_price, 0);
    let mut new = new_order(state, channel, user, &offer, quote.clone());
    new.subscription = subscription(channel, &offer, days);
    let shown = Shown {
        total: trial.expected_total,
        service_fee: None,
        renewal_price: trial.expected_renewal_price,
        trial_days: trial.expected_trial_days,
        currency: trial.currency.as_deref(),
    };
    shown.holds_for(&quote, new.subscription)?;
    new.payment_method_id = own_card(state, user, &trial.payment_method_id).await?;
    place(state, new, claim).await
}

/// Puts an order on disk and has it charged.
///
/// # Errors
/// 400 for what the person has, or is paying for, already.
pub async fn place(state: &AppState, new: NewOrder, claim: Option<IdempotencyClaim>) -> ApiResult<Order> {
    let kind = new.kind;
    match state.store.place_order(new, claim).await? {
        Placed::Order(order) => {
            state.wakeups.orders.notify_one();
            Ok(*order)
        }
        Placed::AlreadyBought => Err(already_bought(kind)),
        Placed::TrialUsed => Err(trial_used()),
    }
}

/// An order as it is before what is special about its kind.
pub(super) fn new_order(
    state: &AppState,
    channel: &ChannelSnapshot,
    user: &User,
    offer: &Offer,
    quote: Quote,
) -> NewOrder {
    let now = state.clock.now_ms();
    NewOrder {
        channel_key: channel.key().to_owned(),
        user_id: user.id,
        kind: offer.kind,
        product_id: offer.id,
        product_name: offer.name.clone(),
        event_category_id: None,
        participant_id: None,
        event_categories: Vec::new(),
        base_price: quote.base_price,
        discount: quote.discount,
        service_fee: quote.service_fee,
        currency: quote.currency,
        promo_code: quote.promo_code,
        payment_method_id: String::new(),
        period_days: 0,
        subscription: None,
        at: now,
        charge_at: now + state.charge_delay_ms,
    }
}

/// Whether what is sold is closed to where the buyer is: an event by its own rules, everything by the channel's (`GEO-1`).
pub fn is_closed(channel: &ChannelSnapshot, has: &Entitlements, kind: OrderType, id: i64) -> bool {
    let event = channel.event(id).filter(|_| kind == OrderType::Event);
    event.map_or(has.geo_blocked, |event| has.is_event_blocked(event))
}

fn check_event(channel: &ChannelSnapshot, has: &Entitlements, buy: &Buy, new: &mut NewOrder) -> ApiResult<()> {
    let event = channel.event(buy.id).ok_or(ApiError::NotFound)?;
    if buy.single_event_package_id.is_none() || buy.single_event_package_id != event.single_event_package_id {
        return Err(ApiError::field("single_event_package_id", "id_not_selected", messages::ID_NOT_SELECTED));
    }
    if has.events.contains(&event.id) {
        return Err(already_bought(OrderType::Event));
    }
    new.event_category_id = Some(event.event_category_id);
    Ok(())
}

fn check_package(channel: &ChannelSnapshot, has: &Entitlements, buy: &Buy, new: &mut NewOrder) -> ApiResult<()> {
    let package = channel.package(buy.id).ok_or(ApiError::NotFound)?;
    if package.is_team_pass {
        let team = buy
            .participant_id
            .filter(|team| package.participants.contains(team))
            .ok_or_else(|| ApiError::field("participant_id", "team_not_selected", messages::TEAM_NOT_SELECTED))?;
        if has.participants.contains(&team) {
            return Err(already_bought(OrderType::Package));
        }
        new.participant_id = Some(team);
    } else if is_purchased(has, package, &channel.categories) {
        return Err(already_bought(OrderType::Package));
    } else {
        new.event_categories.clone_from(&package.event_categories);
    }
    new.period_days = package.period_days;
    Ok(())
}

async fn owns_subscription(state: &AppState, user: &User, id: i64) -> ApiResult<bool> {
    let owned = state.store.owned(user.id, state.clock.now_ms()).await?;
    Ok(owned.iter().any(|record| record.order.kind == OrderType::Subscription && record.order.product.id == id))
}

fn subscription(channel: &ChannelSnapshot, offer: &Offer, trial_days: i64) -> Option<NewSubscription> {
    let annual = channel.subscription(offer.id).is_some_and(|subscription| subscription.period == "annual");
    Some(NewSubscription { annual, trial_days, renewal_price: offer.base_price + offer.service_fee })
}

/// The card, when it is one of the person's own (`VAL-4`).
async fn own_card(state: &AppState, user: &User, id: &str) -> ApiResult<String> {
    let cards = state.payments.cards(user.id).await?;
    if cards.iter().any(|card| card.id == id) {
        return Ok(id.to_owned());
    }
    Err(ApiError::field("payment_method_id", "card_not_selected", messages::CARD))
}

fn already_bought(kind: OrderType) -> ApiError {
    let word = match kind {
        OrderType::Event => "event",
        OrderType::Package => "package",
        OrderType::Subscription => "subscription",
    };
    ApiError::field("id", "already_bought", messages::already_bought(word))
}

fn trial_used() -> ApiError {
    ApiError::field("subscription_id", "trial_used", messages::TRIAL_USED)
}
