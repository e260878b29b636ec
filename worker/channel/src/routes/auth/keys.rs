//! `POST /get_api_key`.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use touchline_protocol::envelope::Data;
use touchline_protocol::keys::{ApiKey, GetApiKey};
use touchline_store::NewKey;

use crate::auth::keyring::FreshKey;
use crate::auth::limits::LimitedAction;
use crate::http::client::device_name;
use crate::http::{ApiError, ApiResult, AppState, Body, Client, PublicFailures};

/// Issues an API key to a visitor.
///
/// All other calls require a key.
#[utoipa::path(
    post, path = "/api/get_api_key", tag = "Keys and auth", request_body = GetApiKey,
    responses((status = 200, body = Data<ApiKey>), PublicFailures)
)]
pub(crate) async fn get_api_key(
    State(state): State<AppState>,
    client: Client,
    headers: HeaderMap,
    Body(body): Body<GetApiKey>,
) -> ApiResult<Json<Data<ApiKey>>> {
    state.limits.take(LimitedAction::KeysByAddress, &client.subject(), &*state.clock).await?;
    let channel = state.channels.by_key(&body.channel_key).ok_or(ApiError::ChannelKey)?;
    let key = FreshKey::draw(&*state.entropy);
    let new = NewKey {
        hash: key.hash,
        channel_key: channel.key().to_owned(),
        user_id: None,
        device_name: device_name(&headers),
        at: state.clock.now_ms(),
    };
    state.store.issue_key(new, None).await?;
    Ok(Json(Data::of(ApiKey { api_key: key.secret })))
}
