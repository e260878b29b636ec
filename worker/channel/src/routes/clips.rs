//! `POST /clip`, `DELETE /clip/{id}`, `GET /clips/user`, `/clips/event/{id}`, `/shared-clip/{id}`, `/clip/download/{id}`
//! (`CALL-8`, `CLIP`).

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Deserialize;
use touchline_domain::clips::{self as rules, CLIPS_MAX, ClipFault, ClipRefusal, TAG_MAX, TAGS_MAX, milliseconds};
use touchline_domain::entitlements::Entitlements;
use touchline_protocol::catalogue::Download;
use touchline_protocol::clips::{Clip, ClipStatus, MakeClip};
use touchline_protocol::envelope::{DONE, Data, Done, Failure, Meta, Page};
use touchline_store::{ClipRecord, MadeClip, NewClip};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::auth::limits::Limited;
use crate::catalogue::presenter::Presenter;
use crate::clips::worker;
use crate::http::idempotency::{self, CallOf, once};
use crate::http::validation::Faults;
use crate::http::{
    AccountFailures, ApiError, ApiKeyQuery, ApiResult, AppState, Caller, Keyed, KeyedFailures, NoStore, PathId, Query,
    WithKey, messages,
};
use crate::media::{Pass, Purpose};

/// The calls of this module.
pub fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(make_clip))
        .routes(routes!(delete_clip))
        .routes(routes!(clips_of_user))
        .routes(routes!(clips_of_event))
        .routes(routes!(shared_clip))
        .routes(routes!(download_clip))
}

/// Puts a clip in the queue; it is cut behind the call and becomes `ready` or `failed`. The same `Idempotency-Key`
/// gives the same clip.
#[utoipa::path(
    post, path = "/api/clip", tag = "Clips", request_body = WithKey<MakeClip>,
    params(("Idempotency-Key" = String, Header, description = "Of the clip; 1 to 128 characters.", min_length = 1, max_length = 128, example = "3f0c7a52-clip")),
    responses(
        (status = 200, body = Data<Clip>, links(("delete" = (operation_id = "delete_clip", parameters(("id" = "$response.body#/data/id"), ("api_key" = "$request.body#/api_key")))), ("ofItsEvent" = (operation_id = "clips_of_event", parameters(("id" = "$response.body#/data/event_id"), ("api_key" = "$request.body#/api_key")))))), AccountFailures,
        (status = 404, body = Failure, description = "no such event, or nothing of it to cut a clip out of"),
        (status = 409, body = Failure, description = "the Idempotency-Key was used with another body")
    )
)]
pub async fn make_clip(
    State(state): State<AppState>,
    headers: HeaderMap,
    Keyed { caller, body, fingerprint }: Keyed<MakeClip>,
) -> ApiResult<Response> {
    let user = caller.user(&state).await?;
    idempotency::required_key(&headers)?;
    // Cutting costs a disk: whoever does it can be reached (CLIP-5).
    if !user.email_verified {
        return Err(ApiError::EMAIL_UNVERIFIED);
    }
    let of = CallOf { user_id: user.id, call: "clip", fingerprint };
    let making = async |claim| {
        let viewer = state.entitlements(&caller).await?;
        let length_ms = cuttable_ms(&state, &caller, &viewer, &body)?;
        check(&body, length_ms)?;
        state.clips.admit(0).map_err(ApiError::of_space)?;
        state.limits.take(Limited::ClipByAccount, &user.id.to_string(), &*state.clock)?;
        let mut secret = [0; 16];
        state.entropy.fill(&mut secret);
        let new = NewClip {
            uuid: uuid::Builder::from_random_bytes(secret).into_uuid().to_string(),
            channel_key: caller.channel_key().to_owned(),
            user_id: user.id,
            event_id: body.event_id,
            event_media_id: body.event_media_id,
            name: body.name.trim().to_owned(),
            start_ms: milliseconds(body.start_time),
            duration_ms: milliseconds(body.duration).max(1),
            tags: body.tags.iter().map(|tag| tag.trim().to_owned()).collect(),
            at: state.clock.now_ms(),
        };
        match state.store.make_clip(new, CLIPS_MAX, claim).await? {
            MadeClip::TooMany => Err(ApiError::rule("too_many_clips", messages::TOO_MANY_CLIPS)),
            MadeClip::Clip(clip) => {
                state.wakeups.clips.notify_one();
                Ok(*clip)
            }
        }
    };
    once(&state, &headers, of, making).await
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

/// The person's clips of one event, newest first (`USER-5`).
#[utoipa::path(
    get, path = "/api/clips/event/{id}", tag = "Clips",
    params(("id" = i64, Path, description = "The event's id.", example = 11), ApiKeyQuery),
    responses((status = 200, body = Page<Clip>), (status = 404, body = Failure, description = "no such event"), AccountFailures)
)]
pub async fn clips_of_event(
    State(state): State<AppState>,
    PathId(id): PathId,
    caller: Caller,
) -> ApiResult<Json<Page<Clip>>> {
    let user = caller.user(&state).await?;
    caller.channel.event(id).ok_or(ApiError::NotFound)?;
    let records = state.store.clips(user.id, Some(id)).await?;
    Ok(Json(page(&state, &caller, records).await?))
}

/// Which shared clip.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SharedQuery {
    /// What stands beside the id in the shared link.
    #[param(max_length = 64, example = "9f6a3c1e-2f4b-4a57-8a3e-0d3c5b7e9f10")]
    uuid: String,
}

/// A clip that somebody shared: whoever has its link may watch it (`CLIP-3`).
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
    let is_shared = |record: &ClipRecord| record.clip.uuid == query.uuid && record.channel_key == caller.channel_key();
    let record = state.store.clip(id).await?.filter(is_shared).ok_or(ApiError::NotFound)?;
    if state.store.user(record.user_id).await?.is_none_or(|owner| owner.blocked) {
        return Err(ApiError::NotFound);
    }
    let viewer = state.entitlements(&caller).await?;
    if is_closed(&caller, &viewer, record.clip.event_id) {
        return Err(ApiError::GEO_BLOCKED);
    }
    Ok(Json(Data::of(shown(&state, &caller, &viewer, record))))
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
    let is_own = |record: &ClipRecord| record.user_id == user.id && record.clip.status == ClipStatus::Ready;
    let record = state.store.clip(id).await?.filter(is_own).ok_or(ApiError::NotFound)?;
    let viewer = state.entitlements(&caller).await?;
    if is_closed(&caller, &viewer, record.clip.event_id) {
        return Err(ApiError::GEO_BLOCKED);
    }
    if !viewer.can("download_clip") {
        return Err(ApiError::FORBIDDEN);
    }
    let (key, uuid) = (&record.channel_key, &record.clip.uuid);
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
    if let Err(error) = state.clips.remove(&record.channel_key, &record.clip.uuid) {
        tracing::warn!(clip = id, %error, "the files of a deleted clip are left to housekeeping");
    }
    Ok(Json(Data::of(DONE)))
}

async fn page(state: &AppState, caller: &Caller, records: Vec<ClipRecord>) -> ApiResult<Page<Clip>> {
    let viewer = state.entitlements(caller).await?;
    let data: Vec<_> = records.into_iter().map(|record| shown(state, caller, &viewer, record)).collect();
    let total = data.len() as u64;
    Ok(Page { data, meta: Meta { total, limit: total, offset: 0 } })
}

/// A clip with its event, as this viewer sees it; without its address where its video is closed to them.
fn shown(state: &AppState, caller: &Caller, viewer: &Entitlements, record: ClipRecord) -> Clip {
    let presenter = Presenter::new(&caller.channel, viewer, state.clock.now_s());
    let event = caller.channel.event(record.clip.event_id).map(|event| Box::new(presenter.event(event)));
    let is_closed = is_closed(caller, viewer, record.clip.event_id);
    Clip { event, url: record.clip.url.filter(|_| !is_closed), ..record.clip }
}

/// Whether the video of this event is closed to the viewer's region.
fn is_closed(caller: &Caller, viewer: &Entitlements, event_id: i64) -> bool {
    viewer.geo_blocked || caller.channel.event(event_id).is_some_and(|event| viewer.is_event_blocked(&event.geo))
}

/// How much there is to cut a clip out of, milliseconds.
fn cuttable_ms(state: &AppState, caller: &Caller, viewer: &Entitlements, body: &MakeClip) -> ApiResult<u64> {
    let event = caller.channel.event(body.event_id).ok_or(ApiError::NotFound)?;
    rules::check_viewer(viewer, &event.terms(), &caller.channel.categories).map_err(|refusal| match refusal {
        ClipRefusal::GeoBlocked => ApiError::GEO_BLOCKED,
        ClipRefusal::Forbidden => ApiError::FORBIDDEN,
    })?;
    // A live stream has no end yet that a clip could be measured by.
    let recording = worker::recording(&caller.channel, &state.broadcasts, event.id, body.event_media_id)
        .filter(|_| state.clock.now_s() >= event.ends_at());
    let (_, best) = recording.ok_or(ApiError::NotFound)?;
    Ok(best.variants.first().map_or(0, crate::media::stream::Variant::length_ms))
}

/// `VAL-3`.
fn check(body: &MakeClip, length_ms: u64) -> ApiResult<()> {
    let mut faults = Faults::default();
    for fault in rules::faults(body, length_ms) {
        match fault {
            ClipFault::Name(fault) => faults.name_fault("name", fault, messages::CLIP_NAME),
            ClipFault::NoTag => faults.add("tags", messages::CLIP_TAG),
            ClipFault::TooManyTags => faults.add("tags", messages::shorter_than(TAGS_MAX + 1)),
            ClipFault::Tag => faults.add("tags", messages::shorter_than(TAG_MAX + 1)),
            ClipFault::Start => faults.add("start_time", messages::MALFORMED),
            ClipFault::Length | ClipFault::End => faults.add("duration", messages::CLIP_TOO_LONG),
        }
    }
    faults.check()
}
