//! `POST /problem-report`.

use std::net::IpAddr;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use tokio::sync::Semaphore;
use touchline_disk::Purpose;
use touchline_protocol::envelope::Data;
use touchline_protocol::limits::Limit;
use touchline_protocol::reports::{ProblemReport, REQUEST_IDS_MAX, ReportReceipt, SessionSummary};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::auth::limits::LimitedAction;
use crate::http::body::{self, BODY_LIMIT};
use crate::http::client::{browser_name, host_of};
use crate::http::{ApiError, ApiResult, AppState, Client, PublicFailures};
use crate::reports::{Sender, UNPACKED_LIMIT, UnpackError, unpack};

const NOTE_MAX: usize = 4_000;
const PAGE_MAX: usize = 500;
const LOG_MAX: usize = 24_000_000;
const REQUEST_ID_MAX: usize = 128;
const OUTCOMES_MAX: usize = 50;
/// The longest text in a summary, in characters.
const SUMMARY_TEXT_MAX: usize = 100;
const COUNT_MAX: u32 = 1_000_000;
/// A day.
const WAIT_MAX_MS: u64 = 86_400_000;
/// Largest compressed report, in bytes.
pub const GZIP_LIMIT: usize = 8 << 20;
/// Limits concurrent decompression: a report takes a few times [`UNPACKED_LIMIT`] in memory until it is stored.
static UNPACKING: Semaphore = Semaphore::const_new(1);
pub(crate) const LIMITS: &[Limit] = &[
    Limit::count("reports.note", NOTE_MAX as u64, "characters", "The viewer's description in a problem report."),
    Limit::count("reports.page", PAGE_MAX as u64, "characters", "The page in a problem report."),
    Limit::count("reports.log", LOG_MAX as u64, "characters", "The recording in a problem report."),
    Limit::bytes(
        "reports.unpacked",
        UNPACKED_LIMIT as u64,
        "A compressed problem report after unpacking; one is unpacked at a time.",
    ),
    Limit::count("reports.request_ids", REQUEST_IDS_MAX as u64, "ids", "The request ids in a problem report."),
    Limit::count("reports.outcomes", OUTCOMES_MAX as u64, "outcomes", "The outcomes in a report's summary."),
    Limit::count("reports.summary_text", SUMMARY_TEXT_MAX as u64, "characters", "A text in a report's summary."),
];

pub(crate) fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(problem_report))
}

/// Stores a problem report from a viewer (`LOG`).
///
/// Public; size- and rate-limited. The body may be compressed, with `Content-Encoding: gzip`.
#[utoipa::path(
    post, path = "/api/problem-report", tag = "Errors", request_body = ProblemReport,
    responses((status = 200, body = Data<ReportReceipt>), PublicFailures)
)]
async fn problem_report(
    State(state): State<AppState>,
    client: Client,
    request: Request,
) -> ApiResult<Json<Data<ReportReceipt>>> {
    state.limits.take(LimitedAction::ReportByAddress, &client.subject(), &*state.clock).await?;
    let (parts, body) = request.into_parts();
    let is_gzip = is_gzip(&parts.headers)?;
    let bytes = body::bytes(body, if is_gzip { GZIP_LIMIT } else { BODY_LIMIT }).await?;
    // Reports are stored compressed, at about the size of the request.
    state
        .disk
        .admit(Purpose::Reports, state.reports.stored().path(), bytes.len() as u64)
        .map_err(ApiError::from_no_space)?;
    // Held until the report is stored and freed. The semaphore is never closed.
    let _turn = if is_gzip { UNPACKING.acquire().await.ok() } else { None };
    let report = tokio::task::spawn_blocking(move || read(&bytes, is_gzip))
        .await
        .map_err(|error| ApiError::from_io(std::io::Error::other(error)))??;
    let channel = state.channels().by_host(host_of(&parts.uri, &parts.headers));
    let sender = Sender {
        limit_bytes: channel.as_ref().and_then(|channel| channel.config.disk.reports),
        channel: channel.map_or_else(String::new, |channel| channel.key().to_owned()),
        device: browser_name(&parts.headers),
        network: network(&state, &client),
    };
    let stored = state.reports.store(report, sender).await.map_err(ApiError::from_io)?;
    tracing::info!(id = stored.id, log_bytes = stored.log_bytes, "a viewer reported a problem");
    Ok(Json(Data::of(ReportReceipt { id: stored.id })))
}

/// Whether a body is compressed. Only gzip is accepted.
fn is_gzip(headers: &HeaderMap) -> ApiResult<bool> {
    match headers.get(header::CONTENT_ENCODING).map(|value| value.as_bytes()) {
        None | Some(b"identity") => Ok(false),
        Some(b"gzip") => Ok(true),
        Some(_) => Err(ApiError::malformed("body", "the body has an encoding other than gzip")),
    }
}

/// Parses a report.
fn read(bytes: &Bytes, is_gzip: bool) -> ApiResult<ProblemReport> {
    if !is_gzip {
        return checked(body::parsed(bytes)?);
    }
    let unpacked = unpack(&bytes[..], UNPACKED_LIMIT).map_err(|fault| match fault {
        UnpackError::TooLarge => ApiError::TooLarge,
        UnpackError::Damaged(_) => ApiError::malformed("body", "the body is not gzip, or is incomplete"),
    })?;
    checked(body::parsed(&unpacked)?)
}

/// Pseudonym of an address's network, which only this worker can compute: an IPv4 /24 or IPv6 /48. A sender with many
/// addresses usually has them in few networks.
fn network(state: &AppState, client: &Client) -> String {
    let (kind, prefix) = match client.address {
        IpAddr::V4(address) => (4, address.octets()[..3].to_vec()),
        IpAddr::V6(address) => (6, address.octets()[..6].to_vec()),
    };
    hex::encode(&state.master_secret.sign(&[b"report", &[kind], &prefix])[..8])
}

/// Validates a report. The log's header is checked, so that nothing else can be stored.
fn checked(report: ProblemReport) -> ApiResult<ProblemReport> {
    let characters = |text: &str, max: usize| text.chars().count() <= max && !text.contains('\0');
    check("note", characters(&report.note, NOTE_MAX))?;
    check("page", characters(&report.page, PAGE_MAX) && report.page.starts_with('/'))?;
    check("log", characters(&report.log, LOG_MAX) && is_log(&report.log))?;
    let short =
        report.request_ids.iter().all(|id| id.len() <= REQUEST_ID_MAX && id.chars().all(|c| c.is_ascii_graphic()));
    check("request_ids", report.request_ids.len() <= REQUEST_IDS_MAX && short)?;
    check("summary", report.summary.as_ref().is_none_or(is_summary))?;
    // The query may contain secrets of the page, such as codes, signatures and addresses.
    let page = report.page.split(['?', '#']).next().unwrap_or_default().to_owned();
    Ok(ProblemReport { page, ..report })
}

fn is_summary(SessionSummary { build, language, outcomes, longest_wait_ms }: &SessionSummary) -> bool {
    let is_text = |text: &str| text.chars().count() <= SUMMARY_TEXT_MAX && !text.chars().any(char::is_control);
    is_text(build)
        && is_text(language)
        && *longest_wait_ms <= WAIT_MAX_MS
        && outcomes.len() <= OUTCOMES_MAX
        && outcomes.iter().all(|outcome| outcome.count <= COUNT_MAX && outcome.code.as_deref().is_none_or(is_text))
}

/// The log is empty if the page failed before recording started.
fn is_log(log: &str) -> bool {
    let Some(first) = log.lines().next() else { return true };
    serde_json::from_str::<serde_json::Value>(first).is_ok_and(|header| header["format"] == "touchline-log")
}

fn check(field: &'static str, is_valid: bool) -> ApiResult<()> {
    if is_valid { Ok(()) } else { Err(ApiError::malformed(field, format!("{field} is too long or invalid"))) }
}

#[cfg(test)]
mod tests {
    use touchline_protocol::reports::{OutcomeKind, SessionOutcome};

    use super::*;

    const HEADER: &str = r#"{"format":"touchline-log","v":1}"#;

    fn report() -> ProblemReport {
        ProblemReport {
            note: "the picture froze".into(),
            page: "/buy".into(),
            log: format!("{HEADER}\n"),
            request_ids: vec!["01".into()],
            summary: None,
        }
    }

    fn summary() -> SessionSummary {
        let code = Some("x".repeat(SUMMARY_TEXT_MAX));
        SessionSummary {
            build: "é".repeat(SUMMARY_TEXT_MAX),
            language: "en".into(),
            outcomes: vec![SessionOutcome { kind: OutcomeKind::Refused, code, count: COUNT_MAX }; OUTCOMES_MAX],
            longest_wait_ms: WAIT_MAX_MS,
        }
    }

    #[test]
    fn a_report_at_the_limits_is_accepted_and_one_above_any_is_rejected() {
        let log = |rest: usize| format!("{HEADER}\n{}", "é".repeat(rest - HEADER.len() - 1));
        let whole = ProblemReport {
            note: "é".repeat(NOTE_MAX),
            page: format!("/{}", "a".repeat(PAGE_MAX - 1)),
            log: log(LOG_MAX),
            request_ids: vec!["x".repeat(REQUEST_ID_MAX); REQUEST_IDS_MAX],
            summary: Some(summary()),
        };
        let summarised = |summary| ProblemReport { summary: Some(summary), ..report() };
        let mut many = summary();
        many.outcomes.push(many.outcomes[0].clone());
        assert!(checked(whole.clone()).is_ok());
        for (past, field) in [
            (ProblemReport { note: "é".repeat(NOTE_MAX + 1), ..whole.clone() }, "note"),
            (ProblemReport { page: format!("/{}", "a".repeat(PAGE_MAX)), ..whole.clone() }, "page"),
            (ProblemReport { log: log(LOG_MAX + 1), ..whole.clone() }, "log"),
            (summarised(SessionSummary { build: "a".repeat(SUMMARY_TEXT_MAX + 1), ..summary() }), "summary"),
            (summarised(SessionSummary { language: "e\nn".into(), ..summary() }), "summary"),
            (summarised(many), "summary"),
            (summarised(SessionSummary { longest_wait_ms: WAIT_MAX_MS + 1, ..summary() }), "summary"),
            (ProblemReport { request_ids: vec!["x".into(); REQUEST_IDS_MAX + 1], ..whole.clone() }, "request_ids"),
            (ProblemReport { request_ids: vec!["x".repeat(REQUEST_ID_MAX + 1)], ..whole }, "request_ids"),
        ] {
            let Err(ApiError::Invalid(failure)) = checked(past) else { panic!("{field} is past its limit") };
            assert!(failure.errors.contains_key(field), "{field}: {:?}", failure.errors);
        }
    }

    #[test]
    fn an_invalid_log_is_rejected_and_an_empty_one_accepted() {
        assert!(checked(ProblemReport { log: "not a log".into(), ..report() }).is_err());
        assert!(checked(ProblemReport { log: "{}".into(), ..report() }).is_err());
        assert!(checked(ProblemReport { log: String::new(), ..report() }).is_ok());
    }

    #[test]
    fn the_pages_query_is_not_stored() {
        let page = |page: &str| checked(ProblemReport { page: page.into(), ..report() }).unwrap().page;
        assert_eq!(page("/auth/reset?email=a@b.co&signature=1#x"), "/auth/reset");
        assert!(checked(ProblemReport { page: "https://elsewhere.example".into(), ..report() }).is_err());
        assert!(checked(ProblemReport { request_ids: vec!["a\nb".into()], ..report() }).is_err());
    }
}
