//! `POST /stripe/setup-intent`, `GET /stripe/list-cards`, `GET /stripe/customer-portal`.

use axum::Json;
use axum::extract::State;
use touchline_protocol::envelope::{Data, Failure, Meta, Page};
use touchline_protocol::purchases::{Card, CustomerPortal, SetupIntent};

use crate::auth::limits::Limited;
use crate::http::body::Nothing;
use crate::http::{AccountFailures, ApiKeyQuery, ApiResult, AppState, Caller, Keyed, WithKey};

/// Opens what a new card is entered against.
#[utoipa::path(
    post, path = "/api/stripe/setup-intent", tag = "Payments", request_body = WithKey<Nothing>,
    responses((status = 200, body = Data<SetupIntent>), AccountFailures, (status = 503, body = Failure, description = "the payment provider does not answer"))
)]
pub async fn setup_intent(
    State(state): State<AppState>,
    Keyed { caller, .. }: Keyed<Nothing>,
) -> ApiResult<Json<Data<SetupIntent>>> {
    let user = caller.user(&state).await?;
    state.limits.take(Limited::CardsByAccount, &user.id.to_string(), &*state.clock)?;
    let client_secret = state.payments.setup_intent(user.id).await?;
    Ok(Json(Data::of(SetupIntent { client_secret })))
}

/// The cards that the person paid with, newest first. One that was refused at once was never saved (`PAY-11`).
#[utoipa::path(
    get, path = "/api/stripe/list-cards", tag = "Payments", params(ApiKeyQuery),
    responses((status = 200, body = Page<Card>), AccountFailures, (status = 503, body = Failure, description = "the payment provider does not answer"))
)]
pub async fn list_cards(State(state): State<AppState>, caller: Caller) -> ApiResult<Json<Page<Card>>> {
    let user = caller.user(&state).await?;
    let uses = state.store.card_uses(user.id).await?;
    let saved = |card: Card| {
        let used = uses.iter().find(|used| used.payment_method_id == card.id && used.has_paid)?;
        Some(Card { declined: used.was_declined, ..card })
    };
    let cards: Vec<Card> = state.payments.cards(user.id).await?.into_iter().filter_map(saved).collect();
    let total = cards.len() as u64;
    Ok(Json(Page { data: cards, meta: Meta { total, limit: total, offset: 0 } }))
}

/// Where cards and invoices are managed: the provider's page, or the site's own transactions.
#[utoipa::path(
    get, path = "/api/stripe/customer-portal", tag = "Payments", params(ApiKeyQuery),
    responses((status = 200, body = Data<CustomerPortal>), AccountFailures, (status = 503, body = Failure, description = "the payment provider does not answer"))
)]
pub async fn customer_portal(State(state): State<AppState>, caller: Caller) -> ApiResult<Json<Data<CustomerPortal>>> {
    let user = caller.user(&state).await?;
    let mut site = state.site_url(&caller.channel);
    site.set_path("/profile/transactions");
    let url = state.payments.portal(user.id, site.as_str()).await?.unwrap_or_else(|| site.into());
    Ok(Json(Data::of(CustomerPortal { url })))
}
