//! `POST /get_api_key`.

use axum::Json;
use axum::extract::State;
use touchline_protocol::envelope::Data;
use touchline_protocol::keys::{ApiKey, GetApiKey};

use crate::auth::limits::LimitedAction;
use crate::http::{ApiError, ApiResult, AppState, Body, Client, PublicFailures};

/// Issues an API key to a visitor.
///
/// Other calls require a key unless they are marked as public. A visitor's key is valid for 90 days.
#[utoipa::path(
    post, path = "/api/get_api_key", tag = "Keys and auth", request_body = GetApiKey,
    responses((status = 200, body = Data<ApiKey>), PublicFailures)
)]
pub(crate) async fn get_api_key(
    State(state): State<AppState>,
    client: Client,
    Body(body): Body<GetApiKey>,
) -> ApiResult<Json<Data<ApiKey>>> {
    state.limits.take(LimitedAction::KeysByAddress, &client.subject(), &*state.clock).await?;
    let channel = state.channels.by_key(&body.channel_key).ok_or(ApiError::ChannelKey)?;
    let api_key = state.keyring.visitor_key(state.store(), &*state.clock, &*state.entropy, channel.key()).await?;
    Ok(Json(Data::of(ApiKey { api_key })))
}
