//! The endpoints: those of ANA-2 for single events, and `POST /datalake/batch`. They are public, limited by size here
//! and by rate in the server. Each path works with and without a trailing slash.

use std::collections::BTreeMap;
use std::convert::Infallible;

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, FromRequestParts, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::value::RawValue;
use touchline_protocol::analytics::{
    BatchAnswer, BatchRequest, CmcdBody, EventBody, EventResult, MAX_BATCH_EVENTS, MAX_REQUEST_BYTES, Outcome,
    SessionBody, VideoEventBody, VideoViewingBody,
};
use touchline_protocol::codes::ErrorCode;
use touchline_protocol::envelope::{Data, Failure};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::cmcd;
use crate::datalake::{Datalake, Sender};
use crate::drift::Drift;
use crate::ingest::{self, Request, RequestChannel, SortedBatch};
use crate::queue::{Candidate, Verdict};
use crate::table::Table;

/// Seconds after which a client may retry: a full queue waits for its sinks, and a closing worker is replaced.
const RETRY_AFTER_S: &str = "30";
/// Bytes that an accepted event takes in an answer.
const ANSWER_BYTES: usize = 72;
/// The longest id that is repeated in an answer, in bytes.
const ECHOED_ID: usize = 64;

impl Datalake {
    /// The routes under `/datalake/`, with their part of the OpenAPI document.
    pub fn router(&self) -> OpenApiRouter<()> {
        OpenApiRouter::default()
            .routes(routes!(give_session_id))
            .routes(routes!(take_batch))
            .routes(routes!(take_session))
            .routes(routes!(take_event))
            .routes(routes!(take_video_event))
            .routes(routes!(take_video_viewing))
            .routes(routes!(take_cmcd))
            .route("/datalake/hash", get(give_session_id))
            .route("/datalake/batch/", post(take_batch))
            .route("/datalake/session", post(take_session))
            .route("/datalake/event", post(take_event))
            .route("/datalake/video/event", post(take_video_event))
            .route("/datalake/video/viewing", post(take_video_viewing))
            .route("/datalake/cmcd/", post(take_cmcd))
            .layer(DefaultBodyLimit::max(MAX_REQUEST_BYTES))
            .with_state(self.clone())
    }
}

/// Why a whole request was refused.
enum Refusal {
    Invalid(String),
    TooLarge,
    Full,
    NoSpace,
    OverBudget(u64),
    Unavailable,
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let again = [(RETRY_AFTER, RETRY_AFTER_S)];
        match self {
            Self::Invalid(what) => {
                let failure = Failure::new(ErrorCode::Invalid, "The analytics request is invalid.").field("body", what);
                (StatusCode::BAD_REQUEST, Json(failure)).into_response()
            }
            Self::TooLarge => {
                let failure =
                    Failure::new(ErrorCode::TooLarge, format!("A request may have at most {MAX_REQUEST_BYTES} bytes."));
                (StatusCode::PAYLOAD_TOO_LARGE, Json(failure)).into_response()
            }
            Self::Full => {
                let failure = Failure::new(ErrorCode::QueueFull, "The analytics queue is full. Try again later.");
                (StatusCode::TOO_MANY_REQUESTS, again, Json(failure)).into_response()
            }
            Self::NoSpace => {
                let failure =
                    Failure::new(ErrorCode::NoSpace, "There is no disk space for analytics. Try again later.");
                (StatusCode::TOO_MANY_REQUESTS, again, Json(failure)).into_response()
            }
            Self::OverBudget(seconds) => {
                let failure = Failure::new(
                    ErrorCode::OverBudget,
                    "This address has used its hourly analytics budget. Try again later.",
                );
                (StatusCode::TOO_MANY_REQUESTS, [(RETRY_AFTER, seconds.to_string())], Json(failure)).into_response()
            }
            Self::Unavailable => {
                let failure = Failure::new(ErrorCode::Unavailable, "Analytics are unavailable. Try again later.");
                (StatusCode::SERVICE_UNAVAILABLE, again, Json(failure)).into_response()
            }
        }
    }
}

impl From<BytesRejection> for Refusal {
    fn from(rejection: BytesRejection) -> Self {
        match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Self::TooLarge,
            _ => Self::Invalid("the body is incomplete".to_owned()),
        }
    }
}

type Body = Result<Bytes, BytesRejection>;

/// Facts that the server adds to a request: its sender, and the channel of its host.
struct Origin {
    sender: Option<Sender>,
    channel: Option<RequestChannel>,
}

impl<S: Send + Sync> FromRequestParts<S> for Origin {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self { sender: parts.extensions.get().copied(), channel: parts.extensions.remove() })
    }
}

/// Returns a new analytics session ID, valid for 24 hours.
#[utoipa::path(get, path = "/datalake/hash/", tag = "datalake", responses((status = 200, body = Data<String>, example = json!({ "data": "01a1fdda-7948-7cbd-a16c-df02a4c6044a" }))))]
async fn give_session_id(State(lake): State<Datalake>) -> impl IntoResponse {
    let id = lake.0.entropy.uuid_v7(&*lake.0.clock);
    ([(CACHE_CONTROL, "no-store")], Json(Data::of(id.hyphenated().to_string())))
}

/// Accepts a batch of up to 500 events.
///
/// Accepted events are durable when the call returns.
#[utoipa::path(
    post,
    path = "/datalake/batch",
    tag = "datalake",
    request_body = BatchRequest,
    responses(
        (status = 200, body = Data<BatchAnswer>),
        (status = 400, body = Failure, description = "malformed body, or not 1 to 500 events"),
        (status = 413, body = Failure, description = "the body is larger than 1 MiB"),
        (status = 429, body = Failure, description = "the queue or disk is full, or the IP address has used up its hourly budget; `Retry-After` has the delay in seconds"),
        (status = 503, body = Failure, description = "the queue is temporarily unavailable"),
    )
)]
async fn take_batch(State(lake): State<Datalake>, origin: Origin, body: Body) -> Result<Response, Refusal> {
    let received = lake.0.clock.now();
    let body = body?;
    let batch = ingest::read_batch(text(&body)?).map_err(|e| Refusal::Invalid(e.to_string()))?;
    if batch.events.is_empty() || batch.events.len() > MAX_BATCH_EVENTS {
        return Err(Refusal::Invalid(format!("events: 1 to {MAX_BATCH_EVENTS}, not {}", batch.events.len())));
    }
    let request = Request { body: &body, channel: origin.channel.as_ref(), received };
    let SortedBatch { candidates, faults } = ingest::sort(request, &batch);
    let tables: Vec<_> = candidates.iter().map(|candidate| candidate.table).collect();
    let samples = lake.0.drift.sample(candidates.iter().map(|candidate| (candidate.table, &candidate.event.body)));
    let verdicts = lake.0.accept_from(origin.sender, candidates).await;
    lake.0.drift.learn(&samples, |index| verdicts.get(index) == Some(&Verdict::Accepted));
    count(&lake.0.drift, tables.into_iter().zip(verdicts.iter().copied()));
    count_invalid(faults.iter().flatten().count() as u64);
    if let Some(refusal) = refused_as_one(&verdicts) {
        return Err(refusal);
    }
    Ok(batch_answer(&batch.events, faults, &verdicts))
}

/// Serialises a [`BatchAnswer`] like [`Json`]. Most results have the same form and are written directly.
fn batch_answer(events: &[ingest::ReceivedEvent<'_>], faults: Vec<Option<String>>, verdicts: &[Verdict]) -> Response {
    let mut verdicts = verdicts.iter().copied();
    let mut text = Vec::with_capacity(ANSWER_BYTES * (events.len() + 1));
    text.extend_from_slice(br#"{"data":{"results":["#);
    for (index, (event, fault)) in events.iter().zip(faults).enumerate() {
        if index > 0 {
            text.push(b',');
        }
        let result = match fault {
            Some(reason) => EventResult { id: echoed(event.id()), outcome: Outcome::Rejected, reason: Some(reason) },
            None => match (event, verdicts.next().unwrap_or(Verdict::Unavailable)) {
                (ingest::ReceivedEvent::Valid(event), Verdict::Accepted) => {
                    for part in [r#"{"id":""#, event.id_text, r#"","outcome":"accepted"}"#] {
                        text.extend_from_slice(part.as_bytes());
                    }
                    continue;
                }
                (event, verdict) => ingest::result(echoed(event.id()), verdict),
            },
        };
        if let Err(error) = serde_json::to_writer(&mut text, &result) {
            return (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response();
        }
    }
    text.extend_from_slice(b"]}}");
    ([(CONTENT_TYPE, "application/json")], text).into_response()
}

/// A body as text. UTF-8 is checked once here, not for each string in it.
fn text(body: &[u8]) -> Result<&str, Refusal> {
    std::str::from_utf8(body).map_err(|_| Refusal::Invalid("not UTF-8".to_owned()))
}

fn echoed(id: &str) -> String {
    id[..id.floor_char_boundary(ECHOED_ID)].to_owned()
}

/// If nothing could be accepted, the whole request is refused with a status that any client understands.
fn refused_as_one(verdicts: &[Verdict]) -> Option<Refusal> {
    let first = verdicts.first().copied()?;
    if verdicts.iter().any(|verdict| *verdict != first) {
        return None;
    }
    match first {
        Verdict::Full => Some(Refusal::Full),
        Verdict::NoSpace => Some(Refusal::NoSpace),
        Verdict::OverBudget(seconds) => Some(Refusal::OverBudget(seconds)),
        Verdict::Unavailable => Some(Refusal::Unavailable),
        Verdict::Accepted | Verdict::Duplicate | Verdict::TooOld => None,
    }
}

/// Counts a request's events, with one metrics lookup per table and outcome.
fn count(drift: &Drift, verdicts: impl Iterator<Item = (Table, Verdict)>) {
    let mut counts = BTreeMap::<_, u64>::new();
    for (table, verdict) in verdicts {
        let outcome = match verdict {
            Verdict::Accepted => "accepted",
            Verdict::Duplicate => "duplicate",
            Verdict::TooOld => "too_old",
            Verdict::Full => "full",
            Verdict::NoSpace => "no_space",
            Verdict::OverBudget(_) => "over_budget",
            Verdict::Unavailable => "unavailable",
        };
        *counts.entry((table, outcome)).or_default() += 1;
    }
    for ((table, outcome), count) in counts {
        if outcome == "accepted" {
            drift.accepted(table, count);
        }
        metrics::counter!("touchline_datalake_events_total", "outcome" => outcome, "table" => table.name())
            .increment(count);
    }
}

/// Counts invalid events, which belong to no table.
fn count_invalid(events: u64) {
    if events > 0 {
        metrics::counter!("touchline_datalake_events_total", "outcome" => "invalid", "table" => "none")
            .increment(events);
    }
}

/// Records the start of a browser session.
#[utoipa::path(post, path = "/datalake/session/", tag = "datalake", request_body = SessionBody,
    responses((status = 200, body = Data<EventResult>), (status = 400, body = Failure), (status = 413, body = Failure),
        (status = 429, body = Failure), (status = 503, body = Failure)))]
async fn take_session(lake: State<Datalake>, origin: Origin, headers: HeaderMap, body: Body) -> CallResult {
    take_call(Table::Session, lake.0, origin, &headers, body?).await
}

/// Records an event, such as a page view or a purchase.
#[utoipa::path(post, path = "/datalake/event/", tag = "datalake", request_body = EventBody,
    responses((status = 200, body = Data<EventResult>), (status = 400, body = Failure), (status = 413, body = Failure),
        (status = 429, body = Failure), (status = 503, body = Failure)))]
async fn take_event(lake: State<Datalake>, origin: Origin, headers: HeaderMap, body: Body) -> CallResult {
    take_call(Table::Event, lake.0, origin, &headers, body?).await
}

/// Records an event of the video player.
#[utoipa::path(post, path = "/datalake/video/event/", tag = "datalake", request_body = VideoEventBody,
    responses((status = 200, body = Data<EventResult>), (status = 400, body = Failure), (status = 413, body = Failure),
        (status = 429, body = Failure), (status = 503, body = Failure)))]
async fn take_video_event(lake: State<Datalake>, origin: Origin, headers: HeaderMap, body: Body) -> CallResult {
    take_call(Table::VideoEvent, lake.0, origin, &headers, body?).await
}

/// Records a heartbeat of a video that is being watched.
#[utoipa::path(post, path = "/datalake/video/viewing/", tag = "datalake", request_body = VideoViewingBody,
    responses((status = 200, body = Data<EventResult>), (status = 400, body = Failure), (status = 413, body = Failure),
        (status = 429, body = Failure), (status = 503, body = Failure)))]
async fn take_video_viewing(lake: State<Datalake>, origin: Origin, headers: HeaderMap, body: Body) -> CallResult {
    take_call(Table::VideoViewing, lake.0, origin, &headers, body?).await
}

/// Accepts playback quality reports, as defined by CTA-5004-B (CMCD version 2, event mode).
///
/// With the content type `application/cmcd`, the body has the standard's format: up to 500 lines, each a report with
/// `sid`, `sn` and `ts`. The response then describes the last report.
#[utoipa::path(post, path = "/datalake/cmcd", tag = "datalake", request_body = CmcdBody,
    responses((status = 200, body = Data<EventResult>), (status = 400, body = Failure), (status = 413, body = Failure),
        (status = 429, body = Failure), (status = 503, body = Failure)))]
async fn take_cmcd(lake: State<Datalake>, origin: Origin, headers: HeaderMap, body: Body) -> CallResult {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind.trim_start().to_ascii_lowercase().starts_with("application/cmcd") {
        take_reports(&lake, origin, &body?).await
    } else {
        take_call(Table::Cmcd, lake.0, origin, &headers, body?).await
    }
}

async fn take_reports(lake: &Datalake, origin: Origin, body: &Bytes) -> CallResult {
    let received = lake.0.clock.now();
    let lines = cmcd::read(text(body)?).map_err(|what| invalid_report(&what))?;
    let newest = lines.iter().map(|line| line.at).max().unwrap_or(received);
    let Some(last) = lines.last().map(|line| line.id).filter(|_| lines.len() <= MAX_BATCH_EVENTS) else {
        return Err(Refusal::Invalid(format!("reports: 1 to {MAX_BATCH_EVENTS}, not {}", lines.len())));
    };
    let request = Request { body, channel: origin.channel.as_ref(), received };
    let read = lines.into_iter().map(|line| ingest::read_report(request, line, newest));
    let candidates = read.collect::<Result<Vec<_>, _>>().map_err(|what| invalid_report(&what))?;
    let verdicts = lake.0.accept_from(origin.sender, candidates).await;
    count(&lake.0.drift, verdicts.iter().map(|verdict| (Table::Cmcd, *verdict)));
    // If all reports are sent again, those accepted before are recognised by their ids.
    match verdicts.iter().find_map(|verdict| refused_as_one(&[*verdict])) {
        Some(refusal) => Err(refusal),
        None => {
            let verdict = verdicts.last().copied().unwrap_or(Verdict::Unavailable);
            Ok(Json(Data::of(ingest::result(last.hyphenated().to_string(), verdict))))
        }
    }
}

fn invalid_report(what: &str) -> Refusal {
    count_invalid(1);
    Refusal::Invalid(what.to_owned())
}

type CallResult = Result<Json<Data<EventResult>>, Refusal>;

fn read_call(request: Request<'_>, table: Table, id: Uuid) -> Result<Candidate, Refusal> {
    let event: &RawValue = serde_json::from_str(text(request.body)?).map_err(|e| Refusal::Invalid(e.to_string()))?;
    ingest::read_call(request, table, id, event).map_err(Refusal::Invalid)
}

/// Accepts one event. Its id is the `Idempotency-Key` if that is a UUID, otherwise a new one.
async fn take_call(table: Table, lake: Datalake, origin: Origin, headers: &HeaderMap, body: Bytes) -> CallResult {
    let request = Request { body: &body, channel: origin.channel.as_ref(), received: lake.0.clock.now() };
    let key = headers.get("idempotency-key").and_then(|key| Uuid::parse_str(key.to_str().ok()?).ok());
    let id = key.unwrap_or_else(|| lake.0.entropy.uuid_v7(&*lake.0.clock));
    let candidate = read_call(request, table, id).inspect_err(|_| count_invalid(1))?;
    let samples = lake.0.drift.sample(std::iter::once((table, &candidate.event.body)));
    let verdicts = lake.0.accept_from(origin.sender, vec![candidate]).await;
    lake.0.drift.learn(&samples, |index| verdicts.get(index) == Some(&Verdict::Accepted));
    count(&lake.0.drift, verdicts.iter().map(|verdict| (table, *verdict)));
    match refused_as_one(&verdicts) {
        Some(refusal) => Err(refusal),
        None => {
            let verdict = verdicts.first().copied().unwrap_or(Verdict::Unavailable);
            Ok(Json(Data::of(ingest::result(id.hyphenated().to_string(), verdict))))
        }
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;

    #[tokio::test]
    async fn a_hand_written_answer_equals_the_serialised_one() {
        let id = "01a1fdda-7948-7cbd-a16c-df02a4c6044a";
        let event = |id: &str| {
            format!(r#"{{"id":"{id}","path":"/datalake/event/","at":1795255200000,"body":{{"event":"visit"}}}}"#)
        };
        let batch_of = |ids: &[&str]| {
            let events: Vec<_> = ids.iter().map(|id| event(id)).collect();
            format!(r#"{{"sent_at":1795255200000,"events":[{}]}}"#, events.join(","))
        };
        let (compact, other) = (batch_of(&[id; 3]), batch_of(&[id, id, "\\\"7"]));
        for (text, third) in [(&compact, None), (&other, Some("bad_id".to_owned()))] {
            let batch = ingest::read_batch(text).unwrap();
            let verdicts = [Verdict::Accepted, Verdict::Duplicate, Verdict::Full];
            let answer = batch_answer(&batch.events, vec![None, None, third.clone()], &verdicts);
            let answer = answer.into_body().collect().await.unwrap().to_bytes();
            let ids = batch.events.iter().map(|event| event.id().to_owned());
            let mut results: Vec<_> = ids.zip(verdicts).map(|(id, verdict)| ingest::result(id, verdict)).collect();
            if let Some(reason) = third {
                results[2] = EventResult { outcome: Outcome::Rejected, reason: Some(reason), ..results[2].clone() };
            }
            assert_eq!(answer, serde_json::to_vec(&Data::of(BatchAnswer { results })).unwrap());
        }
    }
}
