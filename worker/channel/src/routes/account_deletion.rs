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
use crate::auth::limits::LimitedAction;
use crate::erasure;
use crate::http::body::{KeyOnly, Nothing};
use crate::http::idempotency::{CallIdentity, KeyConflict, MaybeKey, once};
use crate::http::{AccountFailures, ApiResult, AppState, Keyed, KeyedFailures, WithKey};
use crate::routes::auth::follow;

pub(crate) fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(delete_account)).routes(routes!(delete_account_confirm))
}

/// Emails the viewer a link to delete their account.
#[utoipa::path(
    post, path = "/api/delete-account", tag = "Keys and auth", request_body = KeyOnly, params(MaybeKey),
    responses((status = 200, body = Data<Done>), AccountFailures, KeyConflict)
)]
pub(crate) async fn delete_account(
    State(state): State<AppState>,
    headers: HeaderMap,
    Keyed { caller, fingerprint, .. }: Keyed<Nothing>,
) -> ApiResult<Response> {
    let user = caller.user(&state).await?;
    let of = CallIdentity { user_id: user.id, call: "delete-account", fingerprint };
    let asking = async |claim| {
        state
            .limits
            .take(LimitedAction::MailByAccountAndAddress, &format!("deletion:{}", user.id), &*state.clock)
            .await?;
        state.queue_mail(&caller.channel, LinkPurpose::DeleteAccount, Some(&user), claim).await?;
        Ok(DONE)
    };
    once(&state, &headers, of, asking).await
}

/// Deletes the account, using the emailed link (`AUTH-4`).
///
/// The account no longer exists when the call returns. Remaining data is removed in the background.
#[utoipa::path(
    post, path = "/api/delete-account-confirm", tag = "Keys and auth", request_body = WithKey<SignedLink>,
    responses((status = 200, body = Data<Done>), KeyedFailures)
)]
pub(crate) async fn delete_account_confirm(
    State(state): State<AppState>,
    Keyed { caller, body, .. }: Keyed<SignedLink>,
) -> ApiResult<Json<Data<Done>>> {
    let user = follow(&state, LinkPurpose::DeleteAccount, &caller, &body).await?;
    erasure::begin(&state.erasures(), &user).await?;
    Ok(Json(Data::of(DONE)))
}
