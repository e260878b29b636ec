//! `GET /download-event/{id}`.

use axum::Json;
use axum::extract::State;
use touchline_domain::entitlements::event_access;
use touchline_protocol::catalogue::Download;
use touchline_protocol::envelope::{Data, Failure};

use crate::catalogue::presenter::Presenter;
use crate::http::{AccountFailures, ApiError, ApiKeyQuery, ApiResult, AppState, Caller, NoStore, PathId};
use crate::media::{Pass, Purpose};

/// Returns a download URL for a finished event (`USER-2`).
///
/// Requires the `download` capability. Each call increments `downloads` in `featureCount`.
#[utoipa::path(
    get, path = "/api/download-event/{id}", tag = "Events",
    params(("id" = i64, Path, description = "ID of the event.", example = 11), ApiKeyQuery),
    responses(
        (status = 200, body = Data<Download>),
        (status = 404, body = Failure, description = "the event doesn't exist or has no recording yet"), AccountFailures
    )
)]
pub(crate) async fn download_event(
    State(state): State<AppState>,
    PathId(id): PathId,
    caller: Caller,
) -> ApiResult<NoStore<Json<Data<Download>>>> {
    // Read before the rights.
    let requested_ms = state.clock.now_ms();
    let event = caller.channel.event(id).ok_or(ApiError::NotFound)?;
    let user = caller.user(&state).await?;
    let viewer = state.entitlements(&caller).await?;
    if viewer.is_event_blocked(&event.geo) {
        return Err(ApiError::GEO_BLOCKED);
    }
    if !viewer.can("download") || !event_access(&viewer, &event.terms(), &caller.channel.categories) {
        return Err(ApiError::FORBIDDEN);
    }
    let now_s = requested_ms.div_euclid(1000);
    if now_s < event.ends_at() {
        return Err(ApiError::NotFound);
    }
    let presenter = Presenter::new(&caller.channel, &viewer, now_s);
    let (mount, recorded) = presenter.download(event).ok_or(ApiError::NotFound)?;
    let stream = state.broadcasts.stream_of(&recorded.feed).ok_or(ApiError::NotFound)?;
    let name = stream.file_name().ok_or(ApiError::NotFound)?;
    let Pass { segment, expires } =
        state.media.issue(Purpose::Download, caller.channel_key(), &mount, &caller.grant(requested_ms));
    state.store.count_download(user.id).await?;
    let download_url = format!("/media/{}/d/{mount}/{segment}/{name}", caller.channel_key());
    Ok(NoStore(Json(Data::of(Download { download_url, expires }))))
}
