//! `POST /delete-account`, `POST /delete-account-confirm` (`AUTH-4`, `CALL-2`, `CALL-11`).

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use touchline_protocol::account::SignedLink;
use touchline_protocol::envelope::{DONE, Data, Done};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::auth::email_tokens::LinkPurpose;
use crate::auth::limits::Limited;
use crate::erasure;
use crate::http::body::Nothing;
use crate::http::idempotency::{CallOf, KeyConflict, MaybeKey, once};
use crate::http::{AccountFailures, ApiResult, AppState, Keyed, KeyedFailures, WithKey};
use crate::routes::auth::follow;

/// The calls of this module.
pub fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(delete_account)).routes(routes!(delete_account_confirm))
}

/// Mails the person a link that deletes their account.
#[utoipa::path(
    post, path = "/api/delete-account", tag = "Keys and auth", request_body = WithKey<Nothing>, params(MaybeKey),
    responses((status = 200, body = Data<Done>), AccountFailures, KeyConflict)
)]
pub async fn delete_account(
    State(state): State<AppState>,
    headers: HeaderMap,
    Keyed { caller, fingerprint, .. }: Keyed<Nothing>,
) -> ApiResult<Response> {
    let user = caller.user(&state).await?;
    let of = CallOf { user_id: user.id, call: "delete-account", fingerprint };
    let asking = async |claim| {
        state.limits.take(Limited::MailByAccountAndAddress, &format!("deletion:{}", user.id), &*state.clock).await?;
        state.queue_mail(&caller.channel, LinkPurpose::DeleteAccount, Some(&user), claim).await?;
        Ok(DONE)
    };
    once(&state, &headers, of, asking).await
}

/// Deletes the account that a link was mailed to, for good (`AUTH-4`): it is gone when the call answers; what other
/// rooms keep of the person goes behind it.
#[utoipa::path(
    post, path = "/api/delete-account-confirm", tag = "Keys and auth", request_body = WithKey<SignedLink>,
    responses((status = 200, body = Data<Done>), KeyedFailures)
)]
pub async fn delete_account_confirm(
    State(state): State<AppState>,
    Keyed { caller, body, .. }: Keyed<SignedLink>,
) -> ApiResult<Json<Data<Done>>> {
    let user = follow(&state, LinkPurpose::DeleteAccount, &caller, &body).await?;
    erasure::begin(&state.erasures(), &user).await?;
    Ok(Json(Data::of(DONE)))
}
