//! `POST /clip`: validates a clip and queues it.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use touchline_domain::clips::{
    self as rules, CLIPS_MAX, ClipFault, ClipRefusal, ClipSource, TAG_MAX, TAGS_MAX, milliseconds,
};
use touchline_domain::entitlements::Entitlements;
use touchline_protocol::catalogue::StreamStatus;
use touchline_protocol::clips::{Clip, ClipVisibility, MakeClip};
use touchline_protocol::codes::ErrorCode;
use touchline_protocol::envelope::{Data, Failure};
use touchline_store::{CreateClipResult, NewClip};

use super::may_publish;
use crate::auth::limits::LimitedAction;
use crate::clips::worker::{self, Clippable};
use crate::http::idempotency::{CallIdentity, CreatedRecord, once_without_key};
use crate::http::validation::Faults;
use crate::http::{AccountFailures, ApiError, ApiResult, AppState, Caller, Keyed, WithKey, messages};
use crate::media::stream::Variant;
use crate::media::{Feed, live};

/// Creates a clip.
///
/// The clip is `queued`, cut in the background, and becomes `ready` or `failed`. Repeating an `Idempotency-Key` returns
/// the same clip.
#[utoipa::path(
    post, path = "/api/clip", tag = "Clips", request_body = WithKey<MakeClip>,
    params(("Idempotency-Key" = Option<String>, Header, description = "Identifies the clip; 1 to 128 characters. Without it, equal requests within a minute create one clip, unless that fails.", min_length = 1, max_length = 128, example = "3f0c7a52-clip")),
    responses(
        (status = 200, body = Data<Clip>, links(("delete" = (operation_id = "delete_clip", parameters(("id" = "$response.body#/data/id"), ("api_key" = "$request.body#/api_key")))), ("ofItsEvent" = (operation_id = "clips_of_event", parameters(("id" = "$response.body#/data/event_id"), ("api_key" = "$request.body#/api_key")))))), AccountFailures,
        (status = 404, body = Failure, description = "the event or video doesn't exist or has no recording"),
        (status = 409, body = Failure, description = "the Idempotency-Key was used with another body")
    )
)]
pub(super) async fn make_clip(
    State(state): State<AppState>,
    headers: HeaderMap,
    Keyed { caller, body, fingerprint }: Keyed<MakeClip>,
) -> ApiResult<Response> {
    let user = caller.user(&state).await?;
    // Clips use disk space, so their owner must be reachable (CLIP-5).
    if !user.email_verified {
        return Err(ApiError::EMAIL_UNVERIFIED);
    }
    let of = CallIdentity { user_id: user.id, call: "clip", fingerprint };
    let making = async |claim| {
        let viewer = state.entitlements(&caller).await?;
        let source = ClipSource::named(body.event_id, body.vod_id).ok_or(ApiError::NotFound)?;
        let Span { before_ms, length_ms } = span(&state, &caller, &viewer, source, &body)?;
        check(&body, length_ms)?;
        if body.visibility == ClipVisibility::Public && !may_publish(&caller.channel, source) {
            return Err(ApiError::field("visibility", ErrorCode::NotPublic, messages::CLIP_NOT_PUBLIC));
        }
        state.clips.admit(0).map_err(ApiError::from_no_space)?;
        state.limits.take(LimitedAction::ClipByAccount, &user.id.to_string(), &*state.clock).await?;
        let mut secret = [0; 16];
        state.entropy.fill(&mut secret);
        let new = NewClip {
            uuid: uuid::Builder::from_random_bytes(secret).into_uuid().to_string(),
            channel_key: caller.channel_key().to_owned(),
            user_id: user.id,
            source,
            event_media_id: body.event_media_id,
            name: body.name.trim().to_owned(),
            start_ms: milliseconds(body.start_time).saturating_add_unsigned(before_ms),
            duration_ms: milliseconds(body.duration).max(1),
            tags: body.tags.iter().map(|tag| tag.trim().to_owned()).collect(),
            visibility: body.visibility,
            context: state.change_context(&caller),
            at: state.clock.now_ms(),
        };
        match state.store.create_clip(new, CLIPS_MAX, claim).await? {
            CreateClipResult::TooMany => Err(ApiError::rule(ErrorCode::TooManyClips, messages::TOO_MANY_CLIPS)),
            CreateClipResult::Clip(clip) => {
                state.wakeups.clips.notify_one();
                Ok(*clip)
            }
        }
    };
    once_without_key(&state, &headers, of, CreatedRecord::Clip, making).await
}

/// Clippable part of a medium, in milliseconds.
struct Span {
    /// Length before the reference time of the clip's start.
    before_ms: u64,
    /// Length from that time on.
    length_ms: u64,
}

impl Span {
    const fn whole(length_ms: u64) -> Self {
        Self { before_ms: 0, length_ms }
    }
}

/// The part of the source that the viewer may clip (`CLIP-4`).
fn span(
    state: &AppState,
    caller: &Caller,
    viewer: &Entitlements,
    source: ClipSource,
    body: &MakeClip,
) -> ApiResult<Span> {
    let channel = &caller.channel;
    let clippable = worker::clippable(channel, &state.broadcasts, source, body.event_media_id);
    let length_ms = |clippable: &Clippable<'_>| clippable.stream.variants.first().map_or(0, Variant::length_ms);
    match source {
        ClipSource::Video(id) => {
            let video = channel.video(id).ok_or(ApiError::NotFound)?;
            rules::check_library_viewer(viewer, video.access_type).map_err(refused)?;
            Ok(Span::whole(length_ms(&clippable.ok_or(ApiError::NotFound)?)))
        }
        ClipSource::Event(id) => {
            let event = channel.event(id).ok_or(ApiError::NotFound)?;
            rules::check_viewer(viewer, &event.terms(), &channel.categories).map_err(refused)?;
            let clippable = clippable.ok_or(ApiError::NotFound)?;
            match event.status_at(state.clock.now_s()) {
                StreamStatus::Upcoming => Err(ApiError::NotFound),
                StreamStatus::Finished => Ok(Span::whole(length_ms(&clippable))),
                StreamStatus::Live => {
                    let number = body.from_segment.ok_or(ApiError::NotFound)?;
                    on_air(state, event.starts_at, &clippable, number).ok_or(ApiError::NotFound)
                }
            }
        }
    }
}

/// The part of a live medium from segment `number` on.
fn on_air(state: &AppState, starts_at: i64, clippable: &Clippable<'_>, number: u64) -> Option<Span> {
    let (before_ms, end_ms) = match clippable.feed {
        Feed::Files(_) => live::span_from(&clippable.stream, starts_at * 1000, state.clock.now_ms(), number)?,
        Feed::Ingest(ingest) => {
            let best = clippable.stream.variants.first()?;
            (state.broadcasts.of(ingest).recorded_before(&best.path, number)?, best.length_ms())
        }
        Feed::Pull(_) => return None,
    };
    Some(Span { before_ms, length_ms: end_ms.saturating_sub(before_ms) })
}

fn refused(refusal: ClipRefusal) -> ApiError {
    match refusal {
        ClipRefusal::GeoBlocked => ApiError::GEO_BLOCKED,
        ClipRefusal::Forbidden => ApiError::FORBIDDEN,
    }
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
