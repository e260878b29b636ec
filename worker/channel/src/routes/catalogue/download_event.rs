//! `GET /download-event/{id}`.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use touchline_protocol::envelope::{Data, Failure};

use crate::catalogue::event_access;
use crate::catalogue::present::Presenter;
use crate::http::{AccountFailures, ApiError, ApiKeyQuery, ApiResult, Caller, PathId};
use crate::state::AppState;

/// Where a file can be had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Download {
    /// Signed.
    #[schema(example = "/media/northfield/s/e11d/1795306500-q2k0c2lnbmF0dXJl/stream.mp4")]
    pub url: String,
    /// Until when it works, Unix seconds.
    #[schema(example = 1_795_306_500)]
    pub expires: i64,
}

/// Where a finished event can be downloaded, for those with the right to (`USER-2`); counted in `featureCount`.
#[utoipa::path(
    get, path = "/api/download-event/{id}", tag = "Events",
    params(("id" = i64, Path, description = "The event's id.", example = 11), ApiKeyQuery),
    responses(
        (status = 200, body = Data<Download>),
        (status = 404, body = Failure, description = "no such event, or nothing to download yet"), AccountFailures
    )
)]
pub async fn download_event(
    State(state): State<AppState>,
    PathId(id): PathId,
    caller: Caller,
) -> ApiResult<Json<Data<Download>>> {
    let event = caller.channel.event(id).ok_or(ApiError::NotFound)?;
    let user = caller.user(&state).await?;
    let viewer = state.entitlements(&caller).await?;
    if viewer.geo_blocked || event.geo.blocks(viewer.country.as_deref()) {
        return Err(ApiError::GEO_BLOCKED);
    }
    if !viewer.can("download") || !event_access(&viewer, event, &caller.channel.categories) {
        return Err(ApiError::FORBIDDEN);
    }
    let now_s = state.clock.now_s();
    if now_s < event.ends_at() {
        return Err(ApiError::NotFound);
    }
    let presenter = Presenter::new(&caller.channel, &viewer, now_s, &state.media);
    let (url, expires) = presenter.download(event).ok_or(ApiError::NotFound)?;
    state.store.count_download(user.id).await?;
    Ok(Json(Data::of(Download { url, expires })))
}
