//! `GET /playback`, `POST /playback` (`PLAYBACK-1`): a person's playback positions, shared by all their devices.

use axum::Json;
use axum::extract::State;
use touchline_protocol::codes::ErrorCode;
use touchline_protocol::envelope::{Data, Failure, Meta, Page};
use touchline_protocol::limits::Limit;
use touchline_protocol::playback::{PlaybackPosition, WatchedKind};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::{AccountFailures, ApiError, ApiKeyQuery, ApiResult, AppState, Caller, Keyed, WithKey, messages};

/// Limit of positions per person.
const POSITIONS_MAX: i64 = 200;
/// Longest recording: a week, in milliseconds.
const MAX_POSITION_MS: i64 = 7 * 24 * 3_600_000;
/// Latest time that a JSON number represents exactly in milliseconds.
const LATEST_MS: i64 = (1 << 53) - 1;
pub(crate) const LIMITS: &[Limit] = &[Limit::count(
    "playback.account",
    POSITIONS_MAX as u64,
    "positions",
    "Playback positions of a person. The oldest are removed.",
)];

pub(crate) fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(playback_positions)).routes(routes!(keep_playback_position))
}

/// Returns the viewer's playback positions, newest first.
#[utoipa::path(
    get, path = "/api/playback", tag = "Playback", params(ApiKeyQuery),
    responses((status = 200, body = Page<PlaybackPosition>), AccountFailures)
)]
pub(crate) async fn playback_positions(
    State(state): State<AppState>,
    caller: Caller,
) -> ApiResult<Json<Page<PlaybackPosition>>> {
    let user = caller.user(&state).await?;
    let positions = state.store.positions(user.id).await?;
    let total = positions.len() as u64;
    Ok(Json(Page { data: positions, meta: Meta { total, limit: total, offset: 0 } }))
}

/// Saves a playback position and returns the latest one.
///
/// The position with the latest `at` wins, whatever the device and order of arrival. Repeating the call has no effect.
#[utoipa::path(
    post, path = "/api/playback", tag = "Playback", request_body = WithKey<PlaybackPosition>,
    responses((status = 200, body = Data<PlaybackPosition>), (status = 404, body = Failure, description = "the event or video doesn't exist"), AccountFailures)
)]
pub(crate) async fn keep_playback_position(
    State(state): State<AppState>,
    Keyed { caller, body, .. }: Keyed<PlaybackPosition>,
) -> ApiResult<Json<Data<PlaybackPosition>>> {
    let user = caller.user(&state).await?;
    for (field, value, least) in [("position_ms", body.position_ms, 0), ("duration_ms", body.duration_ms, 1)] {
        if !(least..=MAX_POSITION_MS).contains(&value) {
            return Err(ApiError::field(
                field,
                ErrorCode::Validation,
                messages::between(field, least, MAX_POSITION_MS),
            ));
        }
    }
    if !(0..=LATEST_MS).contains(&body.at) {
        return Err(ApiError::field("at", ErrorCode::Validation, messages::between("at", 0, LATEST_MS)));
    }
    let exists = match body.kind {
        WatchedKind::Event => caller.channel.event(body.id).is_some(),
        WatchedKind::Vod => caller.channel.vod.iter().any(|video| video.id == body.id),
    };
    if !exists {
        return Err(ApiError::NotFound);
    }
    // Otherwise a clock that is ahead would win over every device until that time.
    let at = body.at.min(state.clock.now_ms());
    let position_ms = body.position_ms.min(body.duration_ms);
    let position = PlaybackPosition { position_ms, at, ..body };
    Ok(Json(Data::of(state.store.store_position(user.id, &position, POSITIONS_MAX).await?)))
}
