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
use touchline_protocol::reports::{ProblemReport, REQUEST_IDS_MAX, ReportReceipt};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::auth::limits::Limited;
use crate::http::body::{self, BODY_LIMIT};
use crate::http::client::browser_name;
use crate::http::{ApiError, ApiResult, AppState, Client, PublicFailures};
use crate::reports::{UNPACKED_LIMIT, Unpackable, unpack};

const NOTE_MAX: usize = 4_000;
const PAGE_MAX: usize = 500;
const LOG_MAX: usize = 24_000_000;
const REQUEST_ID_MAX: usize = 128;
/// The most bytes of a report that comes compressed.
pub const GZIP_LIMIT: usize = 8 << 20;
/// Reports that are unpacked at once: each takes some times [`UNPACKED_LIMIT`] in memory until it is stored.
static UNPACKING: Semaphore = Semaphore::const_new(1);
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[
    Limit::count("reports.note", NOTE_MAX as u64, "characters", "What a viewer writes to a problem report."),
    Limit::count("reports.page", PAGE_MAX as u64, "characters", "The page that it names."),
    Limit::count("reports.log", LOG_MAX as u64, "characters", "The recording that goes with it."),
    Limit::bytes(
        "reports.unpacked",
        UNPACKED_LIMIT as u64,
        "A report that came compressed, unpacked; one at a time is.",
    ),
    Limit::count("reports.request_ids", REQUEST_IDS_MAX as u64, "ids", "The requests that it names."),
];

/// The calls of this module.
pub fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(problem_report))
}

/// Keeps what a viewer chose to send about a problem (`LOG`). Public, limited by size and rate.
///
/// The body may be compressed, with `Content-Encoding: gzip`.
#[utoipa::path(
    post, path = "/api/problem-report", tag = "Errors", request_body = ProblemReport,
    responses((status = 200, body = Data<ReportReceipt>), PublicFailures)
)]
async fn problem_report(
    State(state): State<AppState>,
    client: Client,
    request: Request,
) -> ApiResult<Json<Data<ReportReceipt>>> {
    state.limits.take(Limited::ReportByAddress, &client.subject(), &*state.clock).await?;
    let (parts, body) = request.into_parts();
    let is_gzip = is_gzip(&parts.headers)?;
    let bytes = body::bytes(body, if is_gzip { GZIP_LIMIT } else { BODY_LIMIT }).await?;
    // What is stored is compressed too: it takes about as much.
    state.disk.admit(Purpose::Reports, state.reports.folder(), bytes.len() as u64).map_err(ApiError::of_space)?;
    // Held until the report is stored, and gone from memory. The semaphore is never closed.
    let _turn = if is_gzip { UNPACKING.acquire().await.ok() } else { None };
    let report = tokio::task::spawn_blocking(move || read(&bytes, is_gzip))
        .await
        .map_err(|error| ApiError::of_io(std::io::Error::other(error)))??;
    let network = network(&state, &client);
    let stored = state.reports.keep(report, browser_name(&parts.headers), network).await.map_err(ApiError::of_io)?;
    tracing::info!(id = stored.id, log_bytes = stored.log_bytes, "a viewer reported a problem");
    Ok(Json(Data::of(ReportReceipt { id: stored.id })))
}

/// Whether a body is compressed, in the one way that is taken.
fn is_gzip(headers: &HeaderMap) -> ApiResult<bool> {
    match headers.get(header::CONTENT_ENCODING).map(|value| value.as_bytes()) {
        None | Some(b"identity") => Ok(false),
        Some(b"gzip") => Ok(true),
        Some(_) => Err(ApiError::malformed("body", "the body has another encoding than gzip")),
    }
}

/// The report that bytes are, if they are one.
fn read(bytes: &Bytes, is_gzip: bool) -> ApiResult<ProblemReport> {
    if !is_gzip {
        return checked(body::parsed(bytes)?);
    }
    let unpacked = unpack(&bytes[..], UNPACKED_LIMIT).map_err(|fault| match fault {
        Unpackable::TooLarge => ApiError::TooLarge,
        Unpackable::Damaged(_) => ApiError::malformed("body", "the body is no gzip, or was cut short"),
    })?;
    checked(body::parsed(&unpacked)?)
}

/// The network of an address, by a name that only this worker can make: an IPv4 /24, an IPv6 /48. Whoever has many
/// addresses mostly has them in few of these.
fn network(state: &AppState, client: &Client) -> String {
    let (kind, prefix) = match client.address {
        IpAddr::V4(address) => (4, address.octets()[..3].to_vec()),
        IpAddr::V6(address) => (6, address.octets()[..6].to_vec()),
    };
    hex::encode(&state.master_secret.sign(&[b"report", &[kind], &prefix])[..8])
}

/// The report, if it is one: a log is told by its header, so that nobody keeps something else here.
fn checked(report: ProblemReport) -> ApiResult<ProblemReport> {
    let characters = |text: &str, most: usize| text.chars().count() <= most && !text.contains('\0');
    within("note", characters(&report.note, NOTE_MAX))?;
    within("page", characters(&report.page, PAGE_MAX) && report.page.starts_with('/'))?;
    within("log", characters(&report.log, LOG_MAX) && is_log(&report.log))?;
    let short =
        report.request_ids.iter().all(|id| id.len() <= REQUEST_ID_MAX && id.chars().all(|c| c.is_ascii_graphic()));
    within("request_ids", report.request_ids.len() <= REQUEST_IDS_MAX && short)?;
    // A query can carry what its page was opened with: codes, signatures, addresses.
    let page = report.page.split(['?', '#']).next().unwrap_or_default().to_owned();
    Ok(ProblemReport { page, ..report })
}

/// A page that failed before its log began has none to send.
fn is_log(log: &str) -> bool {
    let Some(first) = log.lines().next() else { return true };
    serde_json::from_str::<serde_json::Value>(first).is_ok_and(|header| header["format"] == "touchline-log")
}

fn within(field: &'static str, holds: bool) -> ApiResult<()> {
    if holds { Ok(()) } else { Err(ApiError::malformed(field, format!("{field} is too long or of another shape"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = r#"{"format":"touchline-log","v":1}"#;

    fn report() -> ProblemReport {
        ProblemReport {
            note: "the picture froze".into(),
            page: "/buy".into(),
            log: format!("{HEADER}\n"),
            request_ids: vec!["01".into()],
        }
    }

    #[test]
    fn a_report_at_its_limits_passes_and_one_past_any_of_them_does_not() {
        let log = |rest: usize| format!("{HEADER}\n{}", "é".repeat(rest - HEADER.len() - 1));
        let whole = ProblemReport {
            note: "é".repeat(NOTE_MAX),
            page: format!("/{}", "a".repeat(PAGE_MAX - 1)),
            log: log(LOG_MAX),
            request_ids: vec!["x".repeat(REQUEST_ID_MAX); REQUEST_IDS_MAX],
        };
        assert!(checked(whole.clone()).is_ok());
        for (past, field) in [
            (ProblemReport { note: "é".repeat(NOTE_MAX + 1), ..whole.clone() }, "note"),
            (ProblemReport { page: format!("/{}", "a".repeat(PAGE_MAX)), ..whole.clone() }, "page"),
            (ProblemReport { log: log(LOG_MAX + 1), ..whole.clone() }, "log"),
            (ProblemReport { request_ids: vec!["x".into(); REQUEST_IDS_MAX + 1], ..whole.clone() }, "request_ids"),
            (ProblemReport { request_ids: vec!["x".repeat(REQUEST_ID_MAX + 1)], ..whole }, "request_ids"),
        ] {
            let Err(ApiError::Invalid(failure)) = checked(past) else { panic!("{field} is past its limit") };
            assert!(failure.errors.contains_key(field), "{field}: {:?}", failure.errors);
        }
    }

    #[test]
    fn what_is_no_log_is_refused_and_no_log_at_all_is_fine() {
        assert!(checked(ProblemReport { log: "not a log".into(), ..report() }).is_err());
        assert!(checked(ProblemReport { log: "{}".into(), ..report() }).is_err());
        assert!(checked(ProblemReport { log: String::new(), ..report() }).is_ok());
    }

    #[test]
    fn a_query_is_not_kept() {
        let page = |page: &str| checked(ProblemReport { page: page.into(), ..report() }).unwrap().page;
        assert_eq!(page("/auth/reset?email=a@b.co&signature=1#x"), "/auth/reset");
        assert!(checked(ProblemReport { page: "https://elsewhere.example".into(), ..report() }).is_err());
        assert!(checked(ProblemReport { request_ids: vec!["a\nb".into()], ..report() }).is_err());
    }
}
