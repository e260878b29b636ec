//! `POST /clip`, `DELETE /clip/{id}`, `GET /clips/user`, `/clips/event/{id}`, `/clips/vod/{id}`, `/shared-clip/{id}`,
//! `/clip/download/{id}` (`CALL-8`, `CALL-11`, `CLIP`).

mod making;

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use touchline_domain::clips::{ClipSource, may_be_public};
use touchline_protocol::catalogue::Download;
use touchline_protocol::clips::{Clip, ClipStatus};
use touchline_protocol::envelope::{DONE, Data, Done, Failure, Meta, Page};
use touchline_protocol::limits::Limit;
use touchline_store::{ClipRecord, PublicClips};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::making::{__path_make_clip, make_clip};
use crate::catalogue::ChannelSnapshot;
use crate::catalogue::presenter::Presenter;
use crate::clips;
use crate::http::{
    AccountFailures, ApiError, ApiKeyQuery, ApiResult, AppState, Caller, KeyedFailures, NoStore, PathId, Query,
};
use crate::media::{Pass, Purpose};

/// The most public clips in one answer.
const LISTED: u32 = 200;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] =
    &[Limit::count("clips.listed", LISTED as u64, "clips", "Public clips of one event or video in an answer.")];

/// The calls of this module.
pub fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(make_clip))
        .routes(routes!(delete_clip))
        .routes(routes!(clips_of_user))
        .routes(routes!(clips_of_event))
        .routes(routes!(clips_of_video))
        .routes(routes!(shared_clip))
        .routes(routes!(download_clip))
}

/// The person's clips, newest first.
#[utoipa::path(
    get, path = "/api/clips/user", tag = "Clips", params(ApiKeyQuery),
    responses((status = 200, body = Page<Clip>), AccountFailures)
)]
pub async fn clips_of_user(State(state): State<AppState>, caller: Caller) -> ApiResult<Json<Page<Clip>>> {
    let user = caller.user(&state).await?;
    let records = state.store.clips(user.id, None).await?;
    Ok(Json(page(&state, &caller, records).await?))
}

/// The clips of one event that everyone may find, and the person's own ones, newest first (`CLIP-7`).
#[utoipa::path(
    get, path = "/api/clips/event/{id}", tag = "Clips",
    params(("id" = i64, Path, description = "The event's id.", example = 11), ApiKeyQuery),
    responses((status = 200, body = Page<Clip>), (status = 404, body = Failure, description = "no such event"), KeyedFailures)
)]
pub async fn clips_of_event(
    State(state): State<AppState>,
    PathId(id): PathId,
    caller: Caller,
) -> ApiResult<Json<Page<Clip>>> {
    caller.channel.event(id).ok_or(ApiError::NotFound)?;
    clips_of(&state, &caller, ClipSource::Event(id)).await
}

/// The clips of one video of the library that everyone may find, and the person's own ones, newest first (`CLIP-7`).
#[utoipa::path(
    get, path = "/api/clips/vod/{id}", tag = "Clips",
    params(("id" = i64, Path, description = "The video's id.", example = 2), ApiKeyQuery),
    responses((status = 200, body = Page<Clip>), (status = 404, body = Failure, description = "no such video"), KeyedFailures)
)]
pub async fn clips_of_video(
    State(state): State<AppState>,
    PathId(id): PathId,
    caller: Caller,
) -> ApiResult<Json<Page<Clip>>> {
    caller.channel.video(id).ok_or(ApiError::NotFound)?;
    clips_of(&state, &caller, ClipSource::Video(id)).await
}

async fn clips_of(state: &AppState, caller: &Caller, source: ClipSource) -> ApiResult<Json<Page<Clip>>> {
    let mut records = match caller.user_id {
        Some(user_id) => state.store.clips(user_id, Some(source)).await?,
        None => Vec::new(),
    };
    if may_publish(&caller.channel, source) {
        let public = state.store.public_clips(caller.channel_key(), PublicClips::Of(source), LISTED).await?;
        records.extend(public.into_iter().filter(|record| Some(record.user_id) != caller.user_id));
        records.sort_by_key(|record| std::cmp::Reverse(record.clip.id));
    }
    Ok(Json(page(state, caller, records).await?))
}

/// Whether clips of this may be public: of what is paid for only where the channel allows it (`CLIP-7`).
pub(crate) fn may_publish(channel: &ChannelSnapshot, source: ClipSource) -> bool {
    let access = match source {
        ClipSource::Event(id) => channel.event(id).map(|event| event.access_type),
        ClipSource::Video(id) => channel.video(id).map(|video| video.access_type),
    };
    access.is_some_and(|access| may_be_public(access, channel.settings.clips.public_of_paid))
}

/// Which shared clip.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SharedQuery {
    /// What stands beside the id in the shared link.
    #[param(max_length = 64, example = "9f6a3c1e-2f4b-4a57-8a3e-0d3c5b7e9f10")]
    uuid: String,
}

/// A clip that somebody shared: whoever has its link may watch it, unless the operator hid it (`CLIP-3`, `CLIP-8`).
#[utoipa::path(
    get, path = "/api/shared-clip/{id}", tag = "Clips",
    params(("id" = i64, Path, description = "The clip's id.", example = 1), SharedQuery, ApiKeyQuery),
    responses(
        (status = 200, body = Data<Clip>), KeyedFailures,
        (status = 403, body = Failure, description = "closed to the viewer's region", example = json!(ApiError::GEO_BLOCKED.answer().1)),
        (status = 404, body = Failure, description = "no such clip, or not shared by this link")
    )
)]
pub async fn shared_clip(
    State(state): State<AppState>,
    PathId(id): PathId,
    // Before the query: who asks without a key is told of that.
    caller: Caller,
    Query(query): Query<SharedQuery>,
) -> ApiResult<Json<Data<Clip>>> {
    let record =
        clips::shared(&*state.store, caller.channel_key(), id, &query.uuid).await?.ok_or(ApiError::NotFound)?;
    let viewer = state.entitlements(&caller).await?;
    let presenter = Presenter::new(&caller.channel, &viewer, state.clock.now_s());
    if is_closed(&presenter, record.source()) {
        return Err(ApiError::GEO_BLOCKED);
    }
    Ok(Json(Data::of(shown(&presenter, record))))
}

/// Where one of the person's clips can be downloaded, for those with the right to (`USER-2`); counted in
/// `featureCount`.
#[utoipa::path(
    get, path = "/api/clip/download/{id}", tag = "Clips",
    params(("id" = i64, Path, description = "The clip's id.", example = 1), ApiKeyQuery),
    responses(
        (status = 200, body = Data<Download>), AccountFailures,
        (status = 404, body = Failure, description = "no such clip of this person, or not ready yet")
    )
)]
pub async fn download_clip(
    State(state): State<AppState>,
    PathId(id): PathId,
    caller: Caller,
) -> ApiResult<NoStore<Json<Data<Download>>>> {
    // Before the rights are read.
    let asked_ms = state.clock.now_ms();
    let user = caller.user(&state).await?;
    let is_own = |record: &ClipRecord| {
        record.user_id == user.id && record.clip.status == ClipStatus::Ready && !record.clip.is_hidden
    };
    let record = state.store.clip(id).await?.filter(is_own).ok_or(ApiError::NotFound)?;
    let viewer = state.entitlements(&caller).await?;
    if is_closed(&Presenter::new(&caller.channel, &viewer, state.clock.now_s()), record.source()) {
        return Err(ApiError::GEO_BLOCKED);
    }
    if !viewer.can("download_clip") {
        return Err(ApiError::FORBIDDEN);
    }
    let (key, uuid) = (&record.channel_key, &record.clip.uuid);
    state.clips.fetched(key, uuid).await;
    let (_, name) = state.clips.joined(key, uuid).ok_or(ApiError::NotFound)?;
    let Pass { segment, expires } =
        state.media.give(Purpose::Download, caller.channel_key(), &format!("c{uuid}"), &caller.grant(asked_ms));
    state.store.count_download(user.id).await?;
    let download_url = format!("/media/{key}/c/{uuid}/{segment}/{name}");
    Ok(NoStore(Json(Data::of(Download { download_url, expires }))))
}

/// Deletes a clip, and its files.
#[utoipa::path(
    delete, path = "/api/clip/{id}", tag = "Clips",
    params(("id" = i64, Path, description = "The clip's id.", example = 1), ApiKeyQuery),
    responses((status = 200, body = Data<Done>), (status = 404, body = Failure, description = "no such clip of this person"), AccountFailures)
)]
pub async fn delete_clip(
    State(state): State<AppState>,
    PathId(id): PathId,
    caller: Caller,
) -> ApiResult<Json<Data<Done>>> {
    let user = caller.user(&state).await?;
    let record = state.store.delete_clip(user.id, id).await?.ok_or(ApiError::NotFound)?;
    if let Err(error) = state.clips.removed(&record.channel_key, &record.clip.uuid).await {
        tracing::warn!(clip = id, %error, "the files of a deleted clip are left to housekeeping");
    }
    Ok(Json(Data::of(DONE)))
}

async fn page(state: &AppState, caller: &Caller, records: Vec<ClipRecord>) -> ApiResult<Page<Clip>> {
    let viewer = state.entitlements(caller).await?;
    let presenter = Presenter::new(&caller.channel, &viewer, state.clock.now_s());
    let data: Vec<_> = records.into_iter().map(|record| shown(&presenter, record)).collect();
    let total = data.len() as u64;
    Ok(Page { data, meta: Meta { total, limit: total, offset: 0 } })
}

/// A clip with its event or video, as this viewer sees it; without its address where its video is closed to them.
pub(crate) fn shown(presenter: &Presenter<'_>, record: ClipRecord) -> Clip {
    let channel = presenter.channel();
    let source = record.source();
    let (event, video) = match source {
        ClipSource::Event(id) => (channel.event(id).map(|event| Box::new(presenter.event(event))), None),
        ClipSource::Video(id) => (None, channel.video(id).map(|video| Box::new(presenter.video(video)))),
    };
    let is_closed = is_closed(presenter, source);
    Clip { event, video, url: record.clip.url.filter(|_| !is_closed), ..record.clip }
}

/// Whether the video that a clip is of is closed to the viewer's region.
fn is_closed(presenter: &Presenter<'_>, source: ClipSource) -> bool {
    let viewer = presenter.viewer();
    let of_event = match source {
        ClipSource::Event(id) => presenter.channel().event(id).is_some_and(|event| viewer.is_event_blocked(&event.geo)),
        ClipSource::Video(_) => false,
    };
    viewer.geo_blocked || of_event
}
