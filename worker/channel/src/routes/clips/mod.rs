//! `POST /clip`, `DELETE /clip/{id}`, `GET /clips/user`, `/clips/event/{id}`, `/clips/vod/{id}`, `/shared-clip/{id}`,
//! `/clip/download/{id}` (`CALL-8`, `CALL-11`, `CLIP`).

mod create;

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

use self::create::{__path_make_clip, make_clip};
use crate::catalogue::ChannelSnapshot;
use crate::catalogue::presenter::Presenter;
use crate::clips;
use crate::http::{
    AccountFailures, ApiError, ApiKeyQuery, ApiResult, AppState, Caller, KeyedFailures, NoStore, PathId, Query,
};
use crate::media::{Pass, Purpose};

/// Limit of public clips in a response.
const MAX_LISTED: u32 = 200;
pub(crate) const LIMITS: &[Limit] =
    &[Limit::count("clips.listed", MAX_LISTED as u64, "clips", "Public clips of one event or video in a response.")];

pub(crate) fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(make_clip))
        .routes(routes!(delete_clip))
        .routes(routes!(clips_of_user))
        .routes(routes!(clips_of_event))
        .routes(routes!(clips_of_video))
        .routes(routes!(shared_clip))
        .routes(routes!(download_clip))
}

/// Returns the viewer's clips, newest first.
#[utoipa::path(
    get, path = "/api/clips/user", tag = "Clips", params(ApiKeyQuery),
    responses((status = 200, body = Page<Clip>), AccountFailures)
)]
pub(crate) async fn clips_of_user(State(state): State<AppState>, caller: Caller) -> ApiResult<Json<Page<Clip>>> {
    let user = caller.user(&state).await?;
    let records = state.store.clips(user.id, None).await?;
    Ok(Json(page(&state, &caller, records).await?))
}

/// Returns an event's public clips and the viewer's own, newest first (`CLIP-7`).
#[utoipa::path(
    get, path = "/api/clips/event/{id}", tag = "Clips",
    params(("id" = i64, Path, description = "ID of the event.", example = 11), ApiKeyQuery),
    responses((status = 200, body = Page<Clip>), (status = 404, body = Failure, description = "the event doesn't exist"), KeyedFailures)
)]
pub(crate) async fn clips_of_event(
    State(state): State<AppState>,
    PathId(id): PathId,
    caller: Caller,
) -> ApiResult<Json<Page<Clip>>> {
    caller.channel.event(id).ok_or(ApiError::NotFound)?;
    clips_of(&state, &caller, ClipSource::Event(id)).await
}

/// Returns a library video's public clips and the viewer's own, newest first (`CLIP-7`).
#[utoipa::path(
    get, path = "/api/clips/vod/{id}", tag = "Clips",
    params(("id" = i64, Path, description = "ID of the video.", example = 2), ApiKeyQuery),
    responses((status = 200, body = Page<Clip>), (status = 404, body = Failure, description = "the video doesn't exist"), KeyedFailures)
)]
pub(crate) async fn clips_of_video(
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
        let public = state.store.public_clips(caller.channel_key(), PublicClips::Of(source), MAX_LISTED).await?;
        records.extend(public.into_iter().filter(|record| Some(record.user_id) != caller.user_id));
        records.sort_by_key(|record| std::cmp::Reverse(record.clip.id));
    }
    Ok(Json(page(state, caller, records).await?))
}

/// Whether clips of this source may be public. For paid content, the channel must allow it (`CLIP-7`).
pub(crate) fn may_publish(channel: &ChannelSnapshot, source: ClipSource) -> bool {
    let access = match source {
        ClipSource::Event(id) => channel.event(id).map(|event| event.access_type),
        ClipSource::Video(id) => channel.video(id).map(|video| video.access_type),
    };
    access.is_some_and(|access| may_be_public(access, channel.settings.clips.public_of_paid))
}

/// Selects a shared clip.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SharedQuery {
    /// The last part of the shared link: `/share/{id}/{uuid}`.
    #[param(max_length = 64, example = "9f6a3c1e-2f4b-4a57-8a3e-0d3c5b7e9f10")]
    uuid: String,
}

/// Returns a shared clip.
///
/// Anyone with the link can watch the clip, unless the operator has hidden it (`CLIP-3`, `CLIP-8`).
#[utoipa::path(
    get, path = "/api/shared-clip/{id}", tag = "Clips",
    params(("id" = i64, Path, description = "ID of the clip.", example = 1), SharedQuery, ApiKeyQuery),
    responses(
        (status = 200, body = Data<Clip>), KeyedFailures,
        (status = 403, body = Failure, description = "blocked in the viewer's region", example = json!(ApiError::GEO_BLOCKED.answer().1)),
        (status = 404, body = Failure, description = "the clip doesn't exist, or the link is wrong")
    )
)]
pub(crate) async fn shared_clip(
    State(state): State<AppState>,
    PathId(id): PathId,
    // Extracted before the query, so that a missing key is reported first.
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
    Ok(Json(Data::of(present_clip(&presenter, record))))
}

/// Returns a download URL for one of the viewer's clips (`USER-2`).
///
/// Requires the `download_clip` capability. Each call increments `downloads` in `featureCount`.
#[utoipa::path(
    get, path = "/api/clip/download/{id}", tag = "Clips",
    params(("id" = i64, Path, description = "ID of the clip.", example = 1), ApiKeyQuery),
    responses(
        (status = 200, body = Data<Download>), AccountFailures,
        (status = 404, body = Failure, description = "the clip isn't ready, doesn't exist or belongs to another viewer")
    )
)]
pub(crate) async fn download_clip(
    State(state): State<AppState>,
    PathId(id): PathId,
    caller: Caller,
) -> ApiResult<NoStore<Json<Data<Download>>>> {
    // Read before the rights.
    let requested_ms = state.clock.now_ms();
    let user = caller.user(&state).await?;
    let belongs_to_caller = |record: &ClipRecord| {
        record.user_id == user.id && record.clip.status == ClipStatus::Ready && !record.clip.is_hidden
    };
    let record = state.store.clip(id).await?.filter(belongs_to_caller).ok_or(ApiError::NotFound)?;
    let viewer = state.entitlements(&caller).await?;
    if is_closed(&Presenter::new(&caller.channel, &viewer, state.clock.now_s()), record.source()) {
        return Err(ApiError::GEO_BLOCKED);
    }
    if !viewer.can("download_clip") {
        return Err(ApiError::FORBIDDEN);
    }
    let (key, uuid) = (&record.channel_key, &record.clip.uuid);
    state.clips.fetched(key, uuid).await;
    let (_, name) = state.clips.as_one_file(key, uuid).ok_or(ApiError::NotFound)?;
    let Pass { segment, expires } =
        state.media.issue(Purpose::Download, caller.channel_key(), &format!("c{uuid}"), &caller.grant(requested_ms));
    state.store.count_download(user.id).await?;
    let download_url = format!("/media/{key}/c/{uuid}/{segment}/{name}");
    Ok(NoStore(Json(Data::of(Download { download_url, expires }))))
}

/// Deletes a clip and its files.
#[utoipa::path(
    delete, path = "/api/clip/{id}", tag = "Clips",
    params(("id" = i64, Path, description = "ID of the clip.", example = 1), ApiKeyQuery),
    responses((status = 200, body = Data<Done>), (status = 404, body = Failure, description = "the clip doesn't exist or belongs to another viewer"), AccountFailures)
)]
pub(crate) async fn delete_clip(
    State(state): State<AppState>,
    PathId(id): PathId,
    caller: Caller,
) -> ApiResult<Json<Data<Done>>> {
    let user = caller.user(&state).await?;
    let record = state.store.delete_clip(user.id, id).await?.ok_or(ApiError::NotFound)?;
    if let Err(error) = state.clips.removed(&record.channel_key, &record.clip.uuid).await {
        tracing::warn!(clip = id, %error, "housekeeping will remove the files of a deleted clip");
    }
    Ok(Json(Data::of(DONE)))
}

async fn page(state: &AppState, caller: &Caller, records: Vec<ClipRecord>) -> ApiResult<Page<Clip>> {
    let viewer = state.entitlements(caller).await?;
    let presenter = Presenter::new(&caller.channel, &viewer, state.clock.now_s());
    let data: Vec<_> = records.into_iter().map(|record| present_clip(&presenter, record)).collect();
    let total = data.len() as u64;
    Ok(Page { data, meta: Meta { total, limit: total, offset: 0 } })
}

/// A clip with its event or video for this viewer. It has no address where its video is blocked for them.
pub(crate) fn present_clip(presenter: &Presenter<'_>, record: ClipRecord) -> Clip {
    let channel = presenter.channel();
    let source = record.source();
    let (event, video) = match source {
        ClipSource::Event(id) => (channel.event(id).map(|event| Box::new(presenter.event(event))), None),
        ClipSource::Video(id) => (None, channel.video(id).map(|video| Box::new(presenter.video(video)))),
    };
    let is_closed = is_closed(presenter, source);
    Clip { event, video, url: record.clip.url.filter(|_| !is_closed), ..record.clip }
}

/// Whether the clip's video is blocked in the viewer's region.
fn is_closed(presenter: &Presenter<'_>, source: ClipSource) -> bool {
    let viewer = presenter.viewer();
    let of_event = match source {
        ClipSource::Event(id) => presenter.channel().event(id).is_some_and(|event| viewer.is_event_blocked(&event.geo)),
        ClipSource::Video(_) => false,
    };
    viewer.geo_blocked || of_event
}
