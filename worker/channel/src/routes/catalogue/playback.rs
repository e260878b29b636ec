//! `GET /events/{id}/playback/{media_id}`, `/vod-media-items/{id}/playback`: addresses for one viewer (`MEDIA-1`).

use axum::Json;
use axum::extract::State;
use touchline_domain::entitlements::{event_access, vod_access};
use touchline_protocol::catalogue::Playback;
use touchline_protocol::envelope::{Data, Failure};

use crate::catalogue::presenter::{self, Presenter};
use crate::http::{ApiError, ApiKeyQuery, ApiResult, AppState, Caller, KeyedFailures, NoStore, PathId, PathIds};
use crate::media::{Pass, Purpose};

/// Returns a playback URL for an event.
///
/// The URL works while the viewer's session and access last.
#[utoipa::path(
    get, path = "/api/events/{id}/playback/{media_id}", tag = "Events",
    params(
        ("id" = i64, Path, description = "ID of the event.", example = 25),
        ("media_id" = i64, Path, description = "ID of the media.", example = 253), ApiKeyQuery
    ),
    responses(
        (status = 200, body = Data<Playback>),
        (status = 403, body = Failure, description = "blocked in the viewer's region, or the viewer has no access", example = json!(ApiError::GEO_BLOCKED.answer().1)),
        (status = 404, body = Failure, description = "the event or media doesn't exist or isn't available at the moment"), KeyedFailures
    )
)]
pub(crate) async fn event_playback(
    State(state): State<AppState>,
    PathIds(id, media_id): PathIds,
    caller: Caller,
) -> ApiResult<NoStore<Json<Data<Playback>>>> {
    // Read before the rights.
    let requested_ms = state.clock.now_ms();
    let event = caller.channel.event(id).ok_or(ApiError::NotFound)?;
    let viewer = state.entitlements(&caller).await?;
    let playback =
        Presenter::new(&caller.channel, &viewer, requested_ms.div_euclid(1000)).event_playback(event, media_id);
    if playback.is_none() {
        let is_closed = viewer.geo_blocked || event.geo.blocks(viewer.country.as_deref());
        refuse(is_closed, event_access(&viewer, &event.terms(), &caller.channel.categories))?;
    }
    answer(&state, &caller, playback, requested_ms)
}

/// Returns a playback URL for a library video.
#[utoipa::path(
    get, path = "/api/vod-media-items/{id}/playback", tag = "Vod",
    params(("id" = i64, Path, description = "ID of the video.", example = 1), ApiKeyQuery),
    responses(
        (status = 200, body = Data<Playback>),
        (status = 403, body = Failure, description = "blocked in the viewer's region, or the viewer has no access", example = json!(ApiError::GEO_BLOCKED.answer().1)),
        (status = 404, body = Failure, description = "the video doesn't exist"), KeyedFailures
    )
)]
pub(crate) async fn vod_playback(
    State(state): State<AppState>,
    PathId(id): PathId,
    caller: Caller,
) -> ApiResult<NoStore<Json<Data<Playback>>>> {
    // Read before the rights.
    let requested_ms = state.clock.now_ms();
    let video = caller.channel.video(id).ok_or(ApiError::NotFound)?;
    let viewer = state.entitlements(&caller).await?;
    let playback = Presenter::new(&caller.channel, &viewer, requested_ms.div_euclid(1000)).video_playback(video);
    if playback.is_none() {
        refuse(viewer.geo_blocked, vod_access(&viewer, video.access_type))?;
    }
    answer(&state, &caller, playback, requested_ms)
}

/// Explains a missing address, or succeeds if the medium just has none.
fn refuse(is_closed: bool, has_access: bool) -> ApiResult<()> {
    match (is_closed, has_access) {
        (true, _) => Err(ApiError::GEO_BLOCKED),
        (false, false) => Err(ApiError::FORBIDDEN),
        (false, true) => Ok(()),
    }
}

fn answer(
    state: &AppState,
    caller: &Caller,
    playback: Option<presenter::Playback<'_>>,
    requested_ms: i64,
) -> ApiResult<NoStore<Json<Data<Playback>>>> {
    let response = match playback.ok_or(ApiError::NotFound)? {
        presenter::Playback::Open(playback_url) => Playback { playback_url, expires: None },
        presenter::Playback::Signed { files, mount } => {
            let Pass { segment, expires } =
                state.media.issue(Purpose::Watch, caller.channel_key(), &mount, &caller.grant(requested_ms));
            let address = files.signed_address(caller.channel_key(), &mount, &segment);
            Playback { playback_url: address.ok_or(ApiError::NotFound)?, expires: Some(expires) }
        }
    };
    Ok(NoStore(Json(Data::of(response))))
}
