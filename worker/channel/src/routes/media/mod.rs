//! `/media/{key}/{path}`: public pictures; a photograph is resized with `?width=`.
//! `/media/{key}/s/{mount}/{pass}/{path}`: streams; requires a pass.
//! `/media/{key}/s/{mount}/{pass}`: whether a pass opens a stream, for caches.
//! `/media/{key}/d/{mount}/{pass}/{file}`: a stream as one file; requires a download pass.
//! `/media/{key}/c/{uuid}/{file}`: clips; require the link, or a pass for one file.
//! `/storage/settings/{file}`: the channel's public settings files.

pub(crate) mod body;
mod broadcast;
pub(crate) mod drawing;
mod pulled;

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use touchline_domain::clips::ClipSource;
use touchline_http::{Effort, NegotiatedBody};
use touchline_protocol::codes::ErrorCode;
use utoipa_axum::router::OpenApiRouter;

use self::body::{Answer, FileRequest};
use crate::catalogue::ChannelSnapshot;
use crate::catalogue::read::is_image;
use crate::http::client::host_of;
use crate::http::{ApiError, ApiResult, AppState, Client, messages};
use crate::media::index::{Feed, Mount, Timing};
use crate::media::live;
use crate::media::signing::{OPEN, Purpose, Refusal};
use crate::media::stream::{Stream, is_playlist};
use crate::pictures::sizes::{self, PARAMETER, WIDTHS, Width};

/// Seconds for which browsers may cache public files.
const MAX_AGE_S: i64 = 3600;

/// Media routes. They are not in the API document, since players use them, not programs.
pub(crate) fn router() -> OpenApiRouter<AppState> {
    let routes = Router::new()
        .route("/media/{key}/s/{mount}/{pass}/{*path}", get(stream))
        .route("/media/{key}/s/{mount}/{pass}", get(permission))
        .route("/media/{key}/d/{mount}/{pass}/{file}", get(download))
        .route("/media/{key}/c/{uuid}/{file}", get(clip))
        .route("/media/{key}/c/{uuid}/{pass}/{file}", get(clip_download))
        .route("/media/{key}/{*path}", get(picture))
        .route("/storage/settings/{file}", get(settings_file));
    OpenApiRouter::from(routes)
}

/// The parameters of a path, or a rejection for invalid text.
type PathParams<T> = Result<Path<T>, PathRejection>;

fn read<T>(params: PathParams<T>) -> ApiResult<T> {
    params.map(|Path(names)| names).map_err(|_| ApiError::NotFound)
}

async fn picture(
    State(state): State<AppState>,
    params: PathParams<(String, String)>,
    uri: Uri,
    request: FileRequest,
) -> ApiResult<Response> {
    let (key, path) = read(params)?;
    let channel = state.channels.by_key(&key).ok_or(ApiError::NotFound)?;
    // Thumbnails are pictures with a text file of their times.
    if !is_image(&path) && !path.ends_with(".vtt") {
        return Err(ApiError::NotFound);
    }
    let (path, cache) = (format!("media/{path}"), format!("public, max-age={MAX_AGE_S}"));
    let photograph = channel.files.files.get(&path).ok_or(ApiError::NotFound)?;
    match sizes::requested_width(uri.query()) {
        Width::Own => {}
        Width::Of(width) => {
            if let Some((name, bytes)) = state.pictures.get(state.channels.source(), photograph, width).await {
                let resized = NegotiatedBody::with_hash(bytes, body::content_type(&name), name, Effort::None);
                return Ok(body::picture(&resized, cache, &request.headers).await);
            }
        }
        Width::Unknown => {
            let widths = WIDTHS.map(|width| width.to_string()).join(", ");
            return Err(ApiError::field(PARAMETER, ErrorCode::Invalid, format!("The width must be one of {widths}.")));
        }
    }
    if drawing::is_compressed(photograph, &request.headers) {
        return drawing::answer(&state, &channel, photograph, cache, &request.headers).await;
    }
    file(&state, &channel, &path, cache, &request).await
}

async fn settings_file(
    State(state): State<AppState>,
    params: PathParams<String>,
    uri: Uri,
    request: FileRequest,
) -> ApiResult<Response> {
    let name = read(params)?;
    let channel = state.channels.by_host(host_of(&uri, &request.headers)).ok_or(ApiError::NotFound)?;
    file(&state, &channel, &format!("storage/settings/{name}"), "public, max-age=60".to_owned(), &request).await
}

/// A mount that a request may use.
struct Admission<'a> {
    mount: &'a Mount,
    /// Value of `Cache-Control`.
    cache: String,
    now_ms: i64,
}

/// Checks that `pass` opens a mount for the client now.
fn admit<'a>(
    state: &AppState,
    channel: &'a ChannelSnapshot,
    mount_name: &str,
    pass: &str,
    client: &Client,
) -> ApiResult<Admission<'a>> {
    let mount = channel.files.mounts.get(mount_name).ok_or(ApiError::NotFound)?;
    let now_ms = state.clock.now_ms();
    let now_s = now_ms.div_euclid(1000);
    let expires = if mount.is_open && pass == OPEN {
        None
    } else {
        let stream = (channel.key(), mount_name);
        Some(state.media.admit(Purpose::Watch, stream, pass, client.address, now_ms).map_err(refused)?)
    };
    if mount.is_closed_to(&channel.config.geo, client.country.as_deref()) {
        return Err(ApiError::GEO_BLOCKED);
    }
    let (Timing::OnDemand { from } | Timing::Live { starts_at: from, .. }) = mount.timing;
    if now_s < from {
        return Err(ApiError::NotFound);
    }
    let cache = match expires {
        None if mount.is_restricted(&channel.config.geo) => format!("private, max-age={MAX_AGE_S}"),
        None => format!("public, max-age={MAX_AGE_S}"),
        Some(expires) => format!("private, max-age={}", (expires - now_s).clamp(0, MAX_AGE_S)),
    };
    Ok(Admission { mount, cache, now_ms })
}

async fn stream(
    State(state): State<AppState>,
    params: PathParams<(String, String, String, String)>,
    client: Client,
    uri: Uri,
    request: FileRequest,
) -> ApiResult<Response> {
    let (key, mount_name, pass, path) = read(params)?;
    let channel = state.channels.by_key(&key).ok_or(ApiError::NotFound)?;
    let Admission { mount, cache, now_ms } = admit(&state, &channel, &mount_name, &pass, &client)?;
    match &mount.feed {
        Feed::Files(stream) => stored(&state, &channel, (stream, mount.timing), &path, cache, &request, now_ms).await,
        Feed::Ingest(ingest) => {
            let is_live = matches!(mount.timing, Timing::Live { .. });
            broadcast::answer(&state, ingest, is_live, &path, &uri, cache, &request).await
        }
        Feed::Pull(pull) => pulled::answer(&state, pull, (&path, &uri), &client, &cache, &request).await,
    }
}

/// A file of the channel's streams, or the window of a live one.
async fn stored(
    state: &AppState,
    channel: &ChannelSnapshot,
    (stream, timing): (&Stream, Timing),
    path: &str,
    cache: String,
    request: &FileRequest,
    now_ms: i64,
) -> ApiResult<Response> {
    if !stream.files.contains(path) {
        return Err(ApiError::NotFound);
    }
    if let Timing::Live { starts_at, ends_at } = timing
        && let Some(variant) = stream.playlist(path)
    {
        let text = live::playlist(stream, variant, starts_at * 1000, ends_at * 1000, now_ms);
        let kind = body::content_type(path);
        return Ok(([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-store")], text).into_response());
    }
    file(state, channel, &format!("media/{}{path}", stream.base), cache, request).await
}

/// Whether a pass opens a stream, for caches (`OPS-57`): 204, or the refusal of its files. A file's name without a pass
/// is refused too.
async fn permission(
    State(state): State<AppState>,
    params: PathParams<(String, String, String)>,
    client: Client,
) -> ApiResult<Response> {
    let (key, mount, pass) = read(params)?;
    let channel = state.channels.by_key(&key).ok_or(ApiError::NotFound)?;
    admit(&state, &channel, &mount, &pass, &client)?;
    Ok((StatusCode::NO_CONTENT, [(header::CACHE_CONTROL, "no-store")]).into_response())
}

/// A file of a clip. The uuid gives access, unless the video of the channel or event is blocked in the client's
/// country.
async fn clip(
    State(state): State<AppState>,
    params: PathParams<(String, String, String)>,
    client: Client,
    request: FileRequest,
) -> ApiResult<Response> {
    let (key, uuid, name) = read(params)?;
    may_watch_clip(&state, &key, &uuid, &client).await?;
    state.clips.fetched(&key, &uuid).await;
    let file = state.clips.file(&key, &uuid, &name).ok_or(ApiError::NotFound)?;
    let cache = format!("private, max-age={MAX_AGE_S}");
    let answer = Answer {
        memory: &state.memory,
        source: state.clips.source(),
        files: vec![&file],
        name: &name,
        cache,
        attachment: None,
    };
    answer.respond(&request).await
}

/// Checks that a clip's video is not blocked in the client's country.
async fn may_watch_clip(state: &AppState, key: &str, uuid: &str, client: &Client) -> ApiResult<()> {
    let (channel, country) = (state.channels.by_key(key).ok_or(ApiError::NotFound)?, client.country.as_deref());
    if channel.is_geo_blocked(country) {
        return Err(ApiError::GEO_BLOCKED);
    }
    let source = state.store.clip_source(key, uuid).await?.ok_or(ApiError::NotFound)?;
    let is_closed = match source {
        ClipSource::Event(id) => channel.event(id).is_some_and(|event| event.geo.blocks(country)),
        ClipSource::Video(_) => false,
    };
    if is_closed { Err(ApiError::GEO_BLOCKED) } else { Ok(()) }
}

/// A clip as one file.
async fn clip_download(
    State(state): State<AppState>,
    params: PathParams<(String, String, String, String)>,
    client: Client,
    request: FileRequest,
) -> ApiResult<Response> {
    let (key, uuid, pass, name) = read(params)?;
    let mount = format!("c{uuid}");
    let now_ms = state.clock.now_ms();
    state.media.admit(Purpose::Download, (&key, &mount), &pass, client.address, now_ms).map_err(refused)?;
    may_watch_clip(&state, &key, &uuid, &client).await?;
    state.clips.fetched(&key, &uuid).await;
    let (files, _) =
        state.clips.as_one_file(&key, &uuid).filter(|(_, file_name)| *file_name == name).ok_or(ApiError::NotFound)?;
    let answer = Answer {
        memory: &state.memory,
        source: state.clips.source(),
        files: files.iter().collect(),
        name: &name,
        cache: "private, no-store".to_owned(),
        attachment: Some(format!("{key}-{name}")),
    };
    answer.respond(&request).await
}

fn refused(refusal: Refusal) -> ApiError {
    ApiError::Forbidden { code: refusal.code(), message: messages::FORBIDDEN }
}

/// The best quality as one file, under a download address (`MEDIA-3`).
async fn download(
    State(state): State<AppState>,
    params: PathParams<(String, String, String, String)>,
    client: Client,
    request: FileRequest,
) -> ApiResult<Response> {
    let (key, mount_name, pass, name) = read(params)?;
    let channel = state.channels.by_key(&key).ok_or(ApiError::NotFound)?;
    let mount = channel.files.mounts.get(&mount_name).ok_or(ApiError::NotFound)?;
    let now_ms = state.clock.now_ms();
    state.media.admit(Purpose::Download, (&key, &mount_name), &pass, client.address, now_ms).map_err(refused)?;
    if mount.is_closed_to(&channel.config.geo, client.country.as_deref()) {
        return Err(ApiError::GEO_BLOCKED);
    }
    let is_over = matches!(mount.timing, Timing::OnDemand { from } if now_ms.div_euclid(1000) >= from);
    let stream = state.broadcasts.stream_of(&mount.feed).ok_or(ApiError::NotFound)?;
    if !is_over || stream.file_name() != Some(name.as_str()) {
        return Err(ApiError::NotFound);
    }
    let parts = stream.parts();
    let recorded;
    let (source, files) = match &mount.feed {
        Feed::Files(_) => {
            let files = parts.iter().map(|part| channel.files.files.get(&format!("media/{}{part}", stream.base)));
            (state.channels.source(), files.collect::<Option<Vec<_>>>())
        }
        Feed::Pull(_) => return Err(ApiError::NotFound),
        Feed::Ingest(ingest) => {
            recorded = broadcast::files(&state, ingest, &parts);
            (state.broadcasts.recorded_files(), recorded.as_ref().map(|files| files.iter().collect()))
        }
    };
    let answer = Answer {
        memory: &state.memory,
        source,
        files: files.ok_or(ApiError::NotFound)?,
        name: &name,
        cache: "private, no-store".to_owned(),
        attachment: Some(format!("{key}-{name}")),
    };
    answer.respond(&request).await
}

/// A file of the channel, by its name in the index.
async fn file(
    state: &AppState,
    channel: &ChannelSnapshot,
    path: &str,
    cache: String,
    request: &FileRequest,
) -> ApiResult<Response> {
    let file = channel.files.files.get(path).ok_or(ApiError::NotFound)?;
    let cache = if is_playlist(path) { cache.replace(&format!("max-age={MAX_AGE_S}"), "max-age=60") } else { cache };
    let answer = Answer {
        memory: &state.memory,
        source: state.channels.source(),
        files: vec![file],
        name: path,
        cache,
        attachment: None,
    };
    answer.respond(request).await
}
