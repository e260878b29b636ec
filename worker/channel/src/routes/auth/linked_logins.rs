//! Connected accounts: `GET /auth/linked_logins`, `DELETE /auth/linked_logins/{provider}` (`AUTH-9`, `CALL-11`).

use axum::Json;
use axum::extract::State;
use touchline_protocol::account::LinkedLogin;
use touchline_protocol::envelope::{DONE, Data, Done, Failure, Meta, Page};
use touchline_protocol::time::rfc3339;

use crate::http::{AccountFailures, ApiError, ApiKeyQuery, ApiResult, AppState, Caller, PathName};

/// Returns the social logins connected to the account.
#[utoipa::path(
    get, path = "/api/auth/linked_logins", tag = "Keys and auth", params(ApiKeyQuery),
    responses((status = 200, body = Page<LinkedLogin>), AccountFailures)
)]
pub(crate) async fn linked_logins(State(state): State<AppState>, caller: Caller) -> ApiResult<Json<Page<LinkedLogin>>> {
    let user = caller.user(&state).await?;
    let linked = state.store.social_logins(user.id).await?;
    let data: Vec<_> = linked
        .into_iter()
        .map(|login| LinkedLogin { provider: login.provider, linked_at: rfc3339(login.linked_at) })
        .collect();
    let total = data.len() as u64;
    Ok(Json(Page { data, meta: Meta { total, limit: total, offset: 0 } }))
}

/// Disconnects a social login from the account.
///
/// Signing in with it again reconnects it if the provider has verified the account's email address.
#[utoipa::path(
    delete, path = "/api/auth/linked_logins/{provider}", tag = "Keys and auth",
    params(("provider" = String, Path, description = "`google` or `facebook`.", example = "google"), ApiKeyQuery),
    responses((status = 200, body = Data<Done>), (status = 404, body = Failure, description = "the connected account doesn't exist or belongs to another viewer"), AccountFailures)
)]
pub(crate) async fn unlink_login(
    State(state): State<AppState>,
    PathName(provider): PathName,
    caller: Caller,
) -> ApiResult<Json<Data<Done>>> {
    let user = caller.user(&state).await?;
    if !state.store.unlink_social(user.id, &provider).await? {
        return Err(ApiError::NotFound);
    }
    Ok(Json(Data::of(DONE)))
}
