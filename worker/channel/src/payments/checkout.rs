//! Places orders: what may be bought, and by whom, is [`touchline_domain::purchases`]'s (`PAY-1`, `PAY-7`).

use touchline_domain::prices::{Offer, Quote, Shown, offer, quote};
use touchline_domain::purchases::{self as rules, Contents, Refusal};
use touchline_protocol::purchases::{Buy, Order, OrderType, StartTrial};
use touchline_store::{IdempotencyClaim, NewOrder, Placed, User};

use crate::catalogue::ChannelSnapshot;
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
        return Err(Refusal::NoProduct.into());
    }
    let channel = &*caller.channel;
    let offer = offer(channel, buy.kind, buy.id).ok_or(Refusal::NotSold)?;
    let has = state.entitlements(caller).await?;
    let event = channel.event(buy.id).filter(|_| buy.kind == OrderType::Event).map(|event| event.terms());
    if rules::is_closed(&has, event.as_ref()) {
        return Err(Refusal::GeoBlocked.into());
    }
    let code = buy.promo_code.as_deref();
    let quoted = guarded(state, caller, user.id, code, || quote(channel, &offer, code))?;
    let contents = match buy.kind {
        OrderType::Event => {
            let event = event.as_ref().ok_or(Refusal::NotSold)?;
            rules::event(event, buy.single_event_package_id, &has)?
        }
        OrderType::Package => {
            let package = channel.package(buy.id).ok_or(Refusal::NotSold)?;
            rules::package(package, buy.participant_id, &has, &channel.categories)?
        }
        OrderType::Subscription => {
            if has.subscribed && owns_subscription(state, user, buy.id).await? {
                return Err(Refusal::AlreadyBought(OrderType::Subscription).into());
            }
            rules::subscription(channel.subscription(buy.id).ok_or(Refusal::NotSold)?, 0)
        }
    };
    let shown = Shown {
        total: buy.expected_total,
        service_fee: buy.expected_service_fee,
        renewal_price: buy.expected_renewal_price,
        trial_days: None,
        currency: buy.currency.as_deref(),
    };
    shown.holds_for(&quoted, contents.subscription).map_err(Refusal::from)?;
    let mut new = new_order(state, channel, user, &offer, quoted, contents);
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
    let channel = &*caller.channel;
    let offer = offer(channel, OrderType::Subscription, trial.subscription_id).ok_or(Refusal::NotSold)?;
    let subscription = channel.subscription(trial.subscription_id).ok_or(Refusal::NotSold)?;
    if caller.is_geo_blocked() {
        return Err(Refusal::GeoBlocked.into());
    }
    let days = rules::trial_days(subscription, user.trial_period_used)?;
    let mut quote = quote(channel, &offer, None).map_err(Refusal::from)?;
    (quote.discount, quote.service_fee) = (quote.base_price, 0);
    let contents = rules::subscription(subscription, days);
    let shown = Shown {
        total: trial.expected_total,
        service_fee: None,
        renewal_price: trial.expected_renewal_price,
        trial_days: trial.expected_trial_days,
        currency: trial.currency.as_deref(),
    };
    shown.holds_for(&quote, contents.subscription).map_err(Refusal::from)?;
    let mut new = new_order(state, channel, user, &offer, quote, contents);
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
        Placed::AlreadyBought => Err(Refusal::AlreadyBought(kind).into()),
        Placed::TrialUsed => Err(Refusal::TrialUsed.into()),
    }
}

/// An order that is to be charged to no card yet.
pub(super) fn new_order(
    state: &AppState,
    channel: &ChannelSnapshot,
    user: &User,
    offer: &Offer,
    quote: Quote,
    contents: Contents,
) -> NewOrder {
    let now = state.clock.now_ms();
    NewOrder {
        channel_key: channel.key().to_owned(),
        user_id: user.id,
        kind: offer.kind,
        product_id: offer.id,
        product_name: offer.name.clone(),
        event_category_id: contents.event_category_id,
        participant_id: contents.participant_id,
        event_categories: contents.event_categories,
        base_price: quote.base_price,
        discount: quote.discount,
        service_fee: quote.service_fee,
        currency: quote.currency,
        promo_code: quote.promo_code,
        payment_method_id: String::new(),
        period_days: contents.period_days,
        subscription: contents.subscription,
        at: now,
        charge_at: now + state.charge_delay_ms,
    }
}

async fn owns_subscription(state: &AppState, user: &User, id: i64) -> ApiResult<bool> {
    let owned = state.store.owned(user.id, state.clock.now_ms()).await?;
    Ok(owned.iter().any(|record| record.order.kind == OrderType::Subscription && record.order.product.id == id))
}

/// The card, when it is one of the person's own (`VAL-4`).
async fn own_card(state: &AppState, user: &User, id: &str) -> ApiResult<String> {
    let cards = state.payments.cards(user.id).await?;
    if cards.iter().any(|card| card.id == id) {
        return Ok(id.to_owned());
    }
    Err(ApiError::field("payment_method_id", "card_not_selected", messages::CARD))
}
