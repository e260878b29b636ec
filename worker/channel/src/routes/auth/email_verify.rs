//! `POST /auth/email-verify`.

use axum::Json;
use axum::extract::State;
use touchline_protocol::account::SignedLink;
use touchline_protocol::envelope::{DONE, Data, Done};

use crate::auth::links::{self, LinkPurpose};
use crate::http::{ApiError, ApiResult, Keyed, KeyedFailures, WithKey, messages};
use crate::state::AppState;
use crate::store::UserChange;

/// Verifies the address that a link was mailed to (`AUTH-4`).
#[utoipa::path(
    post, path = "/api/auth/email-verify", tag = "Keys and auth", request_body = WithKey<SignedLink>,
    responses((status = 200, body = Data<Done>), KeyedFailures)
)]
pub async fn email_verify(
    State(state): State<AppState>,
    Keyed { caller, body, .. }: Keyed<SignedLink>,
) -> ApiResult<Json<Data<Done>>> {
    let user = links::follow(&state, LinkPurpose::VerifyEmail, &caller, &body).await?;
    if user.email_verified {
        return Err(ApiError::rule("already_verified", messages::ALREADY_VERIFIED));
    }
    let change = UserChange { email_verified: Some(true), at: state.clock.now_ms(), ..UserChange::default() };
    state.store.change_user(user.id, change).await?;
    Ok(Json(Data::of(DONE)))
}
