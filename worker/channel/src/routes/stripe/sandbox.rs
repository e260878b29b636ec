//! `POST /stripe/sandbox-card`, `POST /stripe/sandbox-confirm`: the sandbox's replacement for Stripe's script. With any
//! other provider, they do not exist (`CALL-11`).

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use touchline_protocol::envelope::{DONE, Data, Done, Failure};
use touchline_protocol::purchases::{PaymentMethod, SandboxCard, SandboxConfirm};

use crate::auth::limits::LimitedAction;
use crate::http::idempotency::{CallIdentity, KeyConflict, MaybeKey, once};
use crate::http::{AccountFailures, ApiError, ApiResult, AppState, Keyed, WithKey};
use crate::payments::SandboxEntry;

/// Enters a test card into the sandbox.
///
/// Accepts only Stripe's test card numbers, so real cards are rejected.
#[utoipa::path(
    post, path = "/api/stripe/sandbox-card", tag = "Payments", request_body = WithKey<SandboxCard>, params(MaybeKey),
    responses((status = 200, body = Data<PaymentMethod>), AccountFailures, KeyConflict)
)]
pub(crate) async fn sandbox_card(
    State(state): State<AppState>,
    headers: HeaderMap,
    Keyed { caller, body, fingerprint }: Keyed<SandboxCard>,
) -> ApiResult<Response> {
    require_sandbox(&state)?;
    let user = caller.user(&state).await?;
    let of = CallIdentity { user_id: user.id, call: "stripe/sandbox-card", fingerprint };
    let entering = async |claim| {
        state.limits.take(LimitedAction::CardsByAccount, &user.id.to_string(), &*state.clock).await?;
        match state.payments.enter_sandbox_card(user.id, &body, claim).await? {
            SandboxEntry::Entered(payment_method_id) => Ok(PaymentMethod { payment_method_id }),
            SandboxEntry::Refused { field, code, message } => Err(ApiError::field(field, code, message)),
        }
    };
    once(&state, &headers, of, entering).await
}

/// Completes the bank confirmation of a sandbox payment.
///
/// The order is processed immediately.
#[utoipa::path(
    post, path = "/api/stripe/sandbox-confirm", tag = "Payments", request_body = WithKey<SandboxConfirm>, params(MaybeKey),
    responses((status = 200, body = Data<Done>), (status = 404, body = Failure, description = "the payment doesn't exist or belongs to another viewer"), AccountFailures, KeyConflict)
)]
pub(crate) async fn sandbox_confirm(
    State(state): State<AppState>,
    headers: HeaderMap,
    Keyed { caller, body, fingerprint }: Keyed<SandboxConfirm>,
) -> ApiResult<Response> {
    require_sandbox(&state)?;
    let user = caller.user(&state).await?;
    let of = CallIdentity { user_id: user.id, call: "stripe/sandbox-confirm", fingerprint };
    let confirming = async |claim| {
        if !state.payments.confirm_sandbox_charge(user.id, &body.client_secret, body.accept, claim).await? {
            return Err(ApiError::NotFound);
        }
        state.wakeups.orders.notify_one();
        Ok(DONE)
    };
    once(&state, &headers, of, confirming).await
}

fn require_sandbox(state: &AppState) -> ApiResult<()> {
    if state.payments.is_sandbox() { Ok(()) } else { Err(ApiError::NotFound) }
}
