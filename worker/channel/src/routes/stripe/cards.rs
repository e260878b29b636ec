//! `POST /stripe/setup-intent`, `GET /stripe/list-cards`, `POST /stripe/save-card`, `POST /stripe/remove-card`,
//! `GET /stripe/customer-portal`.

use axum::Json;
use axum::extract::State;
use touchline_protocol::codes::ErrorCode;
use touchline_protocol::envelope::{DONE, Data, Done, Failure, Meta, Page};
use touchline_protocol::purchases::{Card, CustomerPortal, OrderStatus, PaymentMethod, SaveCard, SetupIntent};
use touchline_store::{NewSavedCard, OrderFilter, OrderRecord};

use crate::auth::limits::LimitedAction;
use crate::http::body::{KeyOnly, Nothing};
use crate::http::{AccountFailures, ApiError, ApiKeyQuery, ApiResult, AppState, Caller, Keyed, WithKey};

/// Creates a setup intent, with which a new card is entered.
#[utoipa::path(
    post, path = "/api/stripe/setup-intent", tag = "Payments", request_body = KeyOnly,
    responses((status = 200, body = Data<SetupIntent>), AccountFailures, (status = 503, body = Failure, description = "the payment provider isn't responding"))
)]
pub(crate) async fn setup_intent(
    State(state): State<AppState>,
    Keyed { caller, .. }: Keyed<Nothing>,
) -> ApiResult<Json<Data<SetupIntent>>> {
    let user = caller.user(&state).await?;
    state.limits.take(LimitedAction::CardsByAccount, &user.id.to_string(), &*state.clock).await?;
    let client_secret = state.payments.setup_intent(user.id).await?;
    Ok(Json(Data::of(SetupIntent { client_secret })))
}

/// Returns the viewer's saved cards: the default card, then the newest first.
///
/// A card that the viewer chose to save at checkout is included once a payment with it has succeeded (`PAY-11`).
#[utoipa::path(
    get, path = "/api/stripe/list-cards", tag = "Payments", params(ApiKeyQuery),
    responses((status = 200, body = Page<Card>), AccountFailures, (status = 503, body = Failure, description = "the payment provider isn't responding"))
)]
pub(crate) async fn list_cards(State(state): State<AppState>, caller: Caller) -> ApiResult<Json<Page<Card>>> {
    let user = caller.user(&state).await?;
    let uses = state.store.card_histories(user.id).await?;
    let saved_cards = state.store.saved_cards(user.id).await?;
    let saved = |card: Card| {
        let saved = saved_cards.iter().find(|saved| saved.payment_method_id == card.id)?;
        let used = uses.iter().find(|used| used.payment_method_id == card.id);
        let has_paid = used.is_some_and(|used| used.has_paid);
        let declined = used.is_some_and(|used| used.was_declined);
        (saved.added || has_paid).then_some(Card { declined, is_default: saved.is_default, ..card })
    };
    let mut cards: Vec<Card> = state.payments.cards(user.id).await?.into_iter().filter_map(saved).collect();
    // Until one is chosen, the newest card is the default.
    if !cards.iter().any(|card| card.is_default)
        && let Some(first) = cards.iter_mut().find(|card| !card.declined)
    {
        first.is_default = true;
    }
    cards.sort_by_key(|card| !card.is_default);
    let total = cards.len() as u64;
    Ok(Json(Page { data: cards, meta: Meta { total, limit: total, offset: 0 } }))
}

/// Saves a card that was entered outside checkout, or makes a saved card the default.
#[utoipa::path(
    post, path = "/api/stripe/save-card", tag = "Payments", request_body = WithKey<SaveCard>,
    responses((status = 200, body = Data<Done>), AccountFailures,
        (status = 404, body = Failure, description = "the card doesn't exist or belongs to another viewer"),
        (status = 503, body = Failure, description = "the payment provider isn't responding"))
)]
pub(crate) async fn save_card(
    State(state): State<AppState>,
    Keyed { caller, body, .. }: Keyed<SaveCard>,
) -> ApiResult<Json<Data<Done>>> {
    let user = caller.user(&state).await?;
    state.limits.take(LimitedAction::CardsByAccount, &user.id.to_string(), &*state.clock).await?;
    if !state.payments.cards(user.id).await?.iter().any(|card| card.id == body.payment_method_id) {
        return Err(ApiError::NotFound);
    }
    let (user_id, payment_method_id, at) = (user.id, body.payment_method_id, state.clock.now_ms());
    let is_default = body.is_default.unwrap_or(false);
    state.store.save_card(NewSavedCard { user_id, payment_method_id, at, added: true, is_default }).await?;
    Ok(Json(Data::of(DONE)))
}

/// Removes a saved card.
///
/// If a subscription renews with the card, choose another card for the subscription first.
#[utoipa::path(
    post, path = "/api/stripe/remove-card", tag = "Payments", request_body = WithKey<PaymentMethod>,
    responses((status = 200, body = Data<Done>), AccountFailures,
        (status = 404, body = Failure, description = "the card doesn't exist or belongs to another viewer"),
        (status = 409, body = Failure, description = "a subscription renews with this card (`card_in_use`)", example = json!({
            "message": "A subscription renews with this card. Choose another card for it first.", "code": "card_in_use", "errors": {},
        })),
        (status = 503, body = Failure, description = "the payment provider isn't responding"))
)]
pub(crate) async fn remove_card(
    State(state): State<AppState>,
    Keyed { caller, body, .. }: Keyed<PaymentMethod>,
) -> ApiResult<Json<Data<Done>>> {
    let user = caller.user(&state).await?;
    state.limits.take(LimitedAction::CardsByAccount, &user.id.to_string(), &*state.clock).await?;
    let (orders, _) = state.store.orders(user.id, OrderFilter::default()).await?;
    let pays = |record: &OrderRecord| {
        record.payment_method_id == body.payment_method_id
            && (record.order.status == OrderStatus::Created || record.subscription.is_some_and(|it| it.is_renewing()))
    };
    if orders.iter().any(pays) {
        let message = "A subscription renews with this card. Choose another card for it first.";
        return Err(ApiError::Conflict { code: ErrorCode::CardInUse, message });
    }
    if !state.payments.remove_card(user.id, &body.payment_method_id).await? {
        return Err(ApiError::NotFound);
    }
    state.store.remove_card(user.id, &body.payment_method_id).await?;
    Ok(Json(Data::of(DONE)))
}

/// Returns the URL of the billing portal, or of the site's transactions page if the provider has none.
#[utoipa::path(
    get, path = "/api/stripe/customer-portal", tag = "Payments", params(ApiKeyQuery),
    responses((status = 200, body = Data<CustomerPortal>), AccountFailures, (status = 503, body = Failure, description = "the payment provider isn't responding"))
)]
pub(crate) async fn customer_portal(
    State(state): State<AppState>,
    caller: Caller,
) -> ApiResult<Json<Data<CustomerPortal>>> {
    let user = caller.user(&state).await?;
    let mut site = state.site_url(&caller.channel);
    site.set_path("/profile/transactions");
    let url = state.payments.portal(user.id, site.as_str()).await?.unwrap_or_else(|| site.into());
    Ok(Json(Data::of(CustomerPortal { url })))
}
