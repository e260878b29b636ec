//! The HTTP sink: single calls of ANA-2, or batches if the URL ends in `/batch`.
//!
//! Each event carries its id (in `Idempotency-Key`, or in the batch) and its time (in `Touchline-Occurred-At`, or in
//! the batch), so that a receiver can deduplicate retries. Answers that depend on the configuration (401, 403, 404 and
//! the like) are retried. Answers about the event itself make it a dead letter. A batch that is refused as a whole is
//! split until the faulty event is alone.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use jiff::Timestamp;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url};
use serde_json::value::RawValue;
use touchline_protocol::ambient::SharedClock;
use touchline_protocol::analytics::{BatchAnswer, BatchEvent, BatchRequest, MAX_BATCH_EVENTS, Moment, Outcome};
use touchline_protocol::envelope::Data;

use super::{Batch, Progress, Sink, Unavailable};
use crate::dead_letters::DeadReason;
use crate::event::QueuedEvent;
use crate::options::Limits;
use crate::schema;
use crate::signature::SinkSecret;
use crate::table::Table;

/// Header with the event time of a single call, RFC 3339 UTC: its body has no field for it.
const OCCURRED_AT: &str = "Touchline-Occurred-At";
/// Header with the signature, if a secret is configured.
const SIGNATURE: &str = "Touchline-Signature";
/// Header with the version of the bodies' schema.
const SCHEMA: HeaderName = HeaderName::from_static("touchline-schema");
/// Concurrent single calls.
const MAX_CONCURRENT_CALLS: usize = 8;
/// Bytes of bodies in one batch: half of what a worker accepts, which leaves room for the rest of the request.
const BATCH_BYTES: usize = touchline_protocol::analytics::MAX_REQUEST_BYTES / 2;
/// Bytes of an answer that are read.
const ANSWER_BYTES: usize = 1 << 20;
/// The longest pause that a sink may request.
const MAX_WAIT: Duration = Duration::from_secs(600);

pub(crate) struct HttpSink {
    name: String,
    client: Client,
    url: Url,
    batches: bool,
    secret: Option<SinkSecret>,
    clock: SharedClock,
}

enum Answer {
    Accepted,
    Refused(String),
}

/// The result of a part of a batch.
enum Part {
    /// Each event was answered; some may have to be sent `again`.
    Answered { again: bool },
    /// The whole request was refused, with the answer.
    Refused(String),
}

impl HttpSink {
    pub(crate) fn new(
        name: String,
        url: &str,
        secret: Option<SinkSecret>,
        limits: &Limits,
        clock: SharedClock,
    ) -> Result<Self, String> {
        let url = Url::parse(url).map_err(|e| format!("{name}: {e}"))?;
        let client = Client::builder()
            .default_headers(HeaderMap::from_iter([(SCHEMA, HeaderValue::from(schema::version()))]))
            .timeout(limits.sink_timeout)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|e| format!("{name}: {e}"))?;
        let batches = url.path().trim_end_matches('/').ends_with("/batch");
        Ok(Self { name, client, url, batches, secret, clock })
    }

    /// The URL of one table's single calls, below the configured URL.
    fn call_url(&self, table: Table) -> Url {
        let mut url = self.url.clone();
        url.set_path(&format!("{}{}", self.url.path().trim_end_matches('/'), table.path()));
        url
    }

    async fn call(&self, url: Url, event: &QueuedEvent) -> Result<Answer, Unavailable> {
        let id = event.id.hyphenated().to_string();
        let occurred_at = format!("{:.3}", Timestamp::from_microsecond(event.occurred_us).unwrap_or_default());
        let response = self
            .signed(self.client.post(url), &id, &occurred_at, event.body.clone())
            .header("Idempotency-Key", id)
            .header(OCCURRED_AT, occurred_at)
            .send()
            .await
            .map_err(unreachable)?;
        let status = response.status();
        match classify(&response)? {
            Answer::Accepted => Ok(Answer::Accepted),
            Answer::Refused(_) => {
                let body_text = text(response).await.unwrap_or_default();
                Ok(Answer::Refused(format!("{}: {body_text}", status.as_u16())))
            }
        }
    }

    /// The request with this JSON body, signed if there is a secret.
    fn signed(&self, request: RequestBuilder, id: &str, occurred_at: &str, body: Bytes) -> RequestBuilder {
        let now_s = self.clock.now().as_second();
        let signature = self.secret.as_ref().map(|secret| secret.sign(now_s, id, occurred_at, &body));
        let request = request.header(CONTENT_TYPE, "application/json").body(body);
        match signature {
            Some(signature) => request.header(SIGNATURE, signature),
            None => request,
        }
    }

    async fn ship_calls(&self, batch: &Batch<'_>, progress: &mut Progress) -> Result<(), Unavailable> {
        let url = self.call_url(batch.table);
        let remaining: Vec<_> = batch.events.iter().filter(|(offset, _)| !progress.is_done(*offset)).collect();
        let mut remaining = remaining.into_iter();
        let mut under_way = FuturesUnordered::new();
        let mut failed = None;
        loop {
            // After a failure, calls in flight are still awaited: they may have been accepted.
            while failed.is_none()
                && under_way.len() < MAX_CONCURRENT_CALLS
                && let Some((offset, event)) = remaining.next()
            {
                under_way.push(self.call_for(url.clone(), *offset, event));
            }
            match under_way.next().await {
                None => return failed.map_or(Ok(()), Err),
                Some((offset, Ok(Answer::Accepted))) => {
                    progress.accepted.insert(offset);
                }
                Some((offset, Ok(Answer::Refused(detail)))) => {
                    progress.refuse(offset, DeadReason::Refused, detail);
                }
                Some((_, Err(unavailable))) => failed = Some(unavailable),
            }
        }
    }

    async fn call_for(&self, url: Url, offset: u64, event: &QueuedEvent) -> (u64, Result<Answer, Unavailable>) {
        (offset, self.call(url, event).await)
    }

    async fn ship_batches(&self, batch: &Batch<'_>, progress: &mut Progress) -> Result<(), Unavailable> {
        let remaining: Vec<_> = batch.events.iter().filter(|(offset, _)| !progress.is_done(*offset)).collect();
        let mut waiting = vec![remaining.as_slice()];
        let mut needs_retry = false;
        while let Some(rest) = waiting.pop() {
            let (part, later) = rest.split_at(fitting_count(rest));
            if !later.is_empty() {
                waiting.push(later);
            }
            match (self.ship_part(batch.table, part, progress).await?, part) {
                (Part::Answered { again }, _) => needs_retry |= again,
                (Part::Refused(detail), [(offset, _)]) => progress.refuse(*offset, DeadReason::Refused, detail),
                // One of them may be at fault: each half is sent separately, until the faulty event is alone.
                (Part::Refused(_), _) => {
                    let (first, second) = part.split_at(part.len() / 2);
                    waiting.extend([second, first]);
                }
            }
        }
        if needs_retry {
            return Err(Unavailable::because("some events have to be sent again"));
        }
        Ok(())
    }

    async fn ship_part(
        &self,
        table: Table,
        part: &[&(u64, QueuedEvent)],
        progress: &mut Progress,
    ) -> Result<Part, Unavailable> {
        let moment = |us| Moment(Timestamp::from_microsecond(us).unwrap_or(Timestamp::UNIX_EPOCH));
        let events = part.iter().map(|(_, event)| BatchEvent {
            id: event.id.hyphenated().to_string().into(),
            path: table.path().into(),
            at: Some(moment(event.occurred_us)),
            body: serde_json::from_slice(&event.body).unwrap_or(RawValue::NULL),
        });
        let request = BatchRequest { sent_at: Moment(self.clock.now()), events: events.collect() };
        let body = serde_json::to_vec(&request).map_err(|e| Unavailable::because(e.to_string()))?;
        let request = self.signed(self.client.post(self.url.clone()), "", "", body.into());
        let response = request.send().await.map_err(unreachable)?;
        if let Answer::Refused(status) = classify(&response)? {
            let body_text = text(response).await.unwrap_or_default();
            return Ok(Part::Refused(format!("{status}: {body_text}")));
        }
        let answer = text(response).await.map_err(unreachable)?;
        let answer: Data<BatchAnswer> = serde_json::from_str(&answer)
            .map_err(|e| Unavailable::because(format!("the answer is not a batch result: {e}")))?;
        if answer.data.results.len() != part.len() {
            return Err(Unavailable::because("the answer has the wrong number of results"));
        }
        let mut again = false;
        for ((offset, _), result) in part.iter().zip(answer.data.results) {
            match result.outcome {
                Outcome::Accepted | Outcome::Duplicate => {
                    progress.accepted.insert(*offset);
                }
                Outcome::Rejected => {
                    progress.refuse(*offset, DeadReason::Refused, result.reason.unwrap_or_default());
                }
                Outcome::Retry => again = true,
            }
        }
        Ok(Part::Answered { again })
    }
}

/// Number of events of `rest` that fit into one request; at least one.
fn fitting_count(rest: &[&(u64, QueuedEvent)]) -> usize {
    let mut bytes = 0;
    let fits = |(_, event): &&&(u64, QueuedEvent)| {
        bytes += event.body.len();
        bytes <= BATCH_BYTES
    };
    rest.iter().take(MAX_BATCH_EVENTS).take_while(fits).count().max(1).min(rest.len())
}

/// Classifies an answer: accepted, refused, or retry later.
fn classify(response: &Response) -> Result<Answer, Unavailable> {
    let status = response.status();
    match status {
        _ if status.is_success() => Ok(Answer::Accepted),
        StatusCode::BAD_REQUEST
        | StatusCode::CONFLICT
        | StatusCode::GONE
        | StatusCode::PAYLOAD_TOO_LARGE
        | StatusCode::UNSUPPORTED_MEDIA_TYPE
        | StatusCode::UNPROCESSABLE_ENTITY => Ok(Answer::Refused(status.as_u16().to_string())),
        _ => {
            let seconds = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
            let after = seconds.map(|s| Duration::from_secs(s).min(MAX_WAIT));
            Err(Unavailable { reason: format!("the answer was {}", status.as_u16()), after, no_space: false })
        }
    }
}

/// Omits the URL, which may contain a token.
fn unreachable(error: reqwest::Error) -> Unavailable {
    let error = error.without_url();
    // The innermost cause helps an operator most: connection refused, unknown host.
    let causes = std::iter::successors(std::error::Error::source(&error), |cause| cause.source());
    let cause = causes.last().map(|cause| format!(": {cause}")).unwrap_or_default();
    Unavailable::because(format!("{error}{cause}"))
}

async fn text(response: Response) -> Result<String, reqwest::Error> {
    let mut body = Vec::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        body.extend_from_slice(&chunk?);
        if body.len() > ANSWER_BYTES {
            body.truncate(ANSWER_BYTES);
            break;
        }
    }
    Ok(String::from_utf8_lossy(&body).into_owned())
}

#[async_trait]
impl Sink for HttpSink {
    fn name(&self) -> &str {
        &self.name
    }

    async fn ship(&self, batch: &Batch<'_>, progress: &mut Progress) -> Result<(), Unavailable> {
        // These go to lakes only: no endpoint accepts them.
        if batch.table.is_of_lakes() {
            return Ok(());
        }
        if self.batches { self.ship_batches(batch, progress).await } else { self.ship_calls(batch, progress).await }
    }
}
