//! Placing of orders. The rules are in [`touchline_domain::purchases`] (`PAY-1`, `PAY-7`).

use std::sync::atomic::Ordering;

use touchline_domain::entitlements::Entitlements;
use touchline_domain::prices::{DisplayedPrices, Offer, Quote, WrongPromoCode, offer, quote};
use touchline_domain::purchases::{self as rules, Contents, Refusal};
use touchline_domain::subscriptions::Lifecycle;
use touchline_protocol::purchases::{Buy, Order, OrderType, StartTrial};
use touchline_store::{CreateOrderResult, IdempotencyClaim, NewOrder, NewSavedCard, OrderFilter, OrderRecord, User};

use super::Billing;
use super::guesses::Guesser;
use super::{CheckoutError, CheckoutResult, promo};
use crate::catalogue::ChannelSnapshot;

/// Places the order of a purchase. It is charged in the background.
///
/// # Errors
/// [`CheckoutError`].
pub(crate) async fn buy(
    billing: &Billing,
    guesser: &Guesser<'_>,
    (channel, has): (&ChannelSnapshot, &Entitlements),
    user: &User,
    buy: &Buy,
    claim: Option<IdempotencyClaim>,
) -> CheckoutResult<Order> {
    if buy.id <= 0 {
        return Err(Refusal::NoProduct.into());
    }
    let mut offer = offer(channel, buy.kind, buy.id).ok_or(Refusal::NotSold)?;
    let package = channel.package(buy.id).filter(|_| buy.kind == OrderType::Package);
    let event = match buy.kind {
        OrderType::Event => channel.event(buy.id),
        OrderType::Package => package.and_then(|package| channel.single_event(package)),
        OrderType::Subscription => None,
    }
    .map(|event| event.terms());
    if rules::is_closed(has, event.as_ref()) {
        return Err(Refusal::GeoBlocked.into());
    }
    let code = buy.promo_code.as_deref();
    let promo = promo::operator_rule(&*billing.store, channel, code).await?;
    let now = billing.clock.now_ms();
    let quoted = guesser.guarded(code, || quote(channel, &offer, code, promo.as_ref(), now)).await?;
    let contents = match buy.kind {
        OrderType::Event => {
            let event = event.as_ref().ok_or(Refusal::NotSold)?;
            rules::event(event, buy.single_event_package_id, has, &channel.categories)?
        }
        OrderType::Package => {
            let package = package.ok_or(Refusal::NotSold)?;
            match event.as_ref() {
                Some(event) => rules::event(event, Some(package.id), has, &channel.categories)?,
                None => rules::package(package, buy.participant_id, has, &channel.categories)?,
            }
        }
        OrderType::Subscription => {
            if has.subscribed && owns_subscription(billing, user, buy.id).await? {
                return Err(Refusal::AlreadyBought(OrderType::Subscription).into());
            }
            rules::subscription(channel.subscription(buy.id).ok_or(Refusal::NotSold)?, 0)
        }
    };
    let displayed = DisplayedPrices {
        total: buy.expected_total,
        service_fee: buy.expected_service_fee,
        renewal_price: buy.expected_renewal_price,
        trial_days: None,
        currency: buy.currency.as_deref(),
    };
    displayed.check(&quoted, contents.subscription).map_err(Refusal::from)?;
    if let Some(event) = &event {
        offer = offer.of_event(event.id);
    }
    let mut new = new_order(billing, channel, user, &offer, quoted, contents);
    new.payment_method_id = card_of_user(billing, user, &buy.payment_method_id).await?;
    if buy.save_card != Some(false) || buy.kind == OrderType::Subscription {
        save_card(billing, user, &new.payment_method_id).await?;
    }
    submit_order(billing, new, claim).await
}

/// Saves the card of a purchase. It is offered again after a successful payment (`PAY-11`).
async fn save_card(billing: &Billing, user: &User, id: &str) -> CheckoutResult<()> {
    let at = billing.clock.now_ms();
    let (user_id, payment_method_id) = (user.id, id.to_owned());
    let card = NewSavedCard { user_id, payment_method_id, at, added: false, is_default: false };
    Ok(billing.store.save_card(card).await?)
}

/// Places the order of a trial. The first payment is due when the trial ends.
///
/// # Errors
/// [`CheckoutError`].
pub(crate) async fn start_trial(
    billing: &Billing,
    (channel, has): (&ChannelSnapshot, &Entitlements),
    user: &User,
    trial: &StartTrial,
    claim: Option<IdempotencyClaim>,
) -> CheckoutResult<Order> {
    let offer = offer(channel, OrderType::Subscription, trial.subscription_id).ok_or(Refusal::NotSold)?;
    let subscription = channel.subscription(trial.subscription_id).ok_or(Refusal::NotSold)?;
    if rules::is_closed(has, None) {
        return Err(Refusal::GeoBlocked.into());
    }
    let days = rules::trial_days(subscription, user.trial_period_used)?;
    let mut quote = quote(channel, &offer, None, None, billing.clock.now_ms()).map_err(Refusal::from)?;
    (quote.discount, quote.service_fee) = (quote.base_price, 0);
    let contents = rules::subscription(subscription, days);
    let displayed = DisplayedPrices {
        total: trial.expected_total,
        service_fee: None,
        renewal_price: trial.expected_renewal_price,
        trial_days: trial.expected_trial_days,
        currency: trial.currency.as_deref(),
    };
    displayed.check(&quote, contents.subscription).map_err(Refusal::from)?;
    let mut new = new_order(billing, channel, user, &offer, quote, contents);
    new.payment_method_id = card_of_user(billing, user, &trial.payment_method_id).await?;
    new.card_fingerprint = billing.payments.card_fingerprint(user.id, &new.payment_method_id).await?;
    save_card(billing, user, &new.payment_method_id).await?;
    submit_order(billing, new, claim).await
}

/// Stores an order and wakes billing.
///
/// # Errors
/// If the person already owns the product or is paying for it.
pub(crate) async fn submit_order(
    billing: &Billing,
    new: NewOrder,
    claim: Option<IdempotencyClaim>,
) -> CheckoutResult<Order> {
    let kind = new.kind;
    if billing.clock.now_ms() < billing.sells_from.load(Ordering::Relaxed) {
        return Err(CheckoutError::ClockBehind);
    }
    match billing.store.create_order(new, claim).await? {
        CreateOrderResult::Order(order) => {
            billing.wakeups.orders.notify_one();
            Ok(*order)
        }
        CreateOrderResult::AlreadyBought => Err(Refusal::AlreadyBought(kind).into()),
        CreateOrderResult::TrialUsed => Err(Refusal::TrialUsed.into()),
        CreateOrderResult::PromoUsedUp => Err(Refusal::from(WrongPromoCode).into()),
    }
}

/// Returns a new order without a card.
pub(crate) fn new_order(
    billing: &Billing,
    channel: &ChannelSnapshot,
    user: &User,
    offer: &Offer,
    quote: Quote,
    contents: Contents,
) -> NewOrder {
    let now = billing.clock.now_ms();
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
        promo_limit: quote.promo_limit,
        payment_method_id: String::new(),
        card_fingerprint: None,
        period_days: contents.period_days,
        subscription: contents.subscription,
        at: now,
        charge_at: now + billing.charge_delay_ms,
    }
}

async fn owns_subscription(billing: &Billing, user: &User, id: i64) -> CheckoutResult<bool> {
    let owned = billing.store.owned(user.id, billing.clock.now_ms()).await?;
    Ok(owned.iter().any(|record| record.order.kind == OrderType::Subscription && record.order.product.id == id))
}

/// Returns the person's running subscription to this plan. A renewing one takes precedence over a cancelled one.
pub(crate) async fn running_subscription(
    billing: &Billing,
    user: &User,
    id: i64,
) -> CheckoutResult<Option<OrderRecord>> {
    let (orders, _) = billing.store.orders(user.id, OrderFilter::default()).await?;
    let is_it = |record: &OrderRecord| {
        record.order.product.id == id
            && record.subscription.is_some_and(|it| it.is_renewing() || it.lifecycle == Lifecycle::Cancelling)
    };
    let mut running: Vec<OrderRecord> = orders.into_iter().filter(is_it).collect();
    running.sort_by_key(|record| record.subscription.is_none_or(|subscription| !subscription.is_renewing()));
    Ok(running.into_iter().next())
}

/// Returns the card id if the person owns the card (`VAL-4`).
///
/// # Errors
/// If the card belongs to someone else, or the provider fails.
pub(crate) async fn card_of_user(billing: &Billing, user: &User, id: &str) -> CheckoutResult<String> {
    let cards = billing.payments.cards(user.id).await?;
    if cards.iter().any(|card| card.id == id) {
        return Ok(id.to_owned());
    }
    Err(CheckoutError::OtherCard)
}
