//! `POST /error-log`: writes browsers' failures to the worker's log (`CALL-10`).

use axum::Json;
use axum::extract::State;
use touchline_protocol::envelope::{DONE, Data, Done};
use touchline_protocol::limits::Limit;
use touchline_protocol::reports::ErrorLogLine;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::auth::limits::LimitedAction;
use crate::http::{ApiError, ApiResult, AppState, Body, Client, PublicFailures};

/// Longest message or URL in the log, in characters.
const TEXT_MAX: usize = 500;
/// Longest time or id in the log, in characters.
const NAME_MAX: usize = 64;
pub(crate) const LIMITS: &[Limit] = &[Limit::count(
    "error_log.text",
    TEXT_MAX as u64,
    "characters",
    "Length of a string in an error log line; longer ones are cut.",
)];

/// Largest status code.
const STATUS_MAX: u16 = 999;

pub(crate) fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(error_log))
}

/// Logs a request that failed in the browser.
///
/// Public.
#[utoipa::path(
    post, path = "/api/error-log", tag = "Error log", request_body = ErrorLogLine,
    responses((status = 200, body = Data<Done>), PublicFailures)
)]
pub(crate) async fn error_log(
    State(state): State<AppState>,
    client: Client,
    Body(line): Body<ErrorLogLine>,
) -> ApiResult<Json<Data<Done>>> {
    state.limits.take(LimitedAction::ErrorLogByAddress, &client.subject(), &*state.clock).await?;
    if line.status > STATUS_MAX {
        return Err(ApiError::malformed("status", "status must be 0 to 999"));
    }
    tracing::info!(
        target: "touchline::browser",
        date = plain(&line.date, NAME_MAX),
        status = line.status,
        // A field named `message` would appear twice in a line of JSON.
        said = plain(&line.message, TEXT_MAX),
        url = without_query(&line.url),
        failed_request_id = line.request_id.as_deref().map(|id| plain(id, NAME_MAX)),
        "a request failed in a browser"
    );
    Ok(Json(Data::of(DONE)))
}

/// One line without control characters, so that nobody can forge log lines.
fn plain(text: &str, max_characters: usize) -> String {
    text.chars().take(max_characters).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Queries may contain keys and addresses, so they are not logged.
fn without_query(url: &str) -> String {
    plain(url.split(['?', '#']).next().unwrap_or_default(), TEXT_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_keys_nor_line_breaks_get_into_the_log() {
        assert_eq!(without_query("https://a.example/api/orders?api_key=secret#x"), "https://a.example/api/orders");
        assert_eq!(plain("one\nlevel=ERROR two", 99), "one level=ERROR two");
    }
}
