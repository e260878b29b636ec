//! `POST /error-log`: what failed in browsers, as lines of the worker's own log (`CALL-10`).

use axum::Json;
use axum::extract::State;
use touchline_protocol::envelope::{DONE, Data, Done};
use touchline_protocol::limits::Limit;
use touchline_protocol::reports::ErrorLogLine;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::auth::limits::Limited;
use crate::http::{ApiError, ApiResult, AppState, Body, Client, PublicFailures};

/// How much of a message and of an address is written.
const TEXT_MAX: usize = 500;
/// How much of a time and of an id is written.
const NAME_MAX: usize = 64;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[Limit::count(
    "error_log.text",
    TEXT_MAX as u64,
    "characters",
    "How much of a text of an error log line is written.",
)];

/// The greatest number that is a status.
const STATUS_MAX: u16 = 999;

/// The calls of this module.
pub fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(error_log))
}

/// Writes down a request that failed in a browser. Public.
#[utoipa::path(
    post, path = "/api/error-log", tag = "Error log", request_body = ErrorLogLine,
    responses((status = 200, body = Data<Done>), PublicFailures)
)]
pub async fn error_log(
    State(state): State<AppState>,
    client: Client,
    Body(line): Body<ErrorLogLine>,
) -> ApiResult<Json<Data<Done>>> {
    state.limits.take(Limited::ErrorLogByAddress, &client.subject(), &*state.clock).await?;
    if line.status > STATUS_MAX {
        return Err(ApiError::malformed("status", "status must be 0 to 999"));
    }
    tracing::info!(
        target: "touchline::browser",
        date = plain(&line.date, NAME_MAX),
        status = line.status,
        // A field of the name `message` would stand a second time in a line of JSON.
        said = plain(&line.message, TEXT_MAX),
        url = without_query(&line.url),
        failed_request_id = line.request_id.as_deref().map(|id| plain(id, NAME_MAX)),
        "a request failed in a browser"
    );
    Ok(Json(Data::of(DONE)))
}

/// One line without control characters, so that nobody can write lines of their own.
fn plain(text: &str, most: usize) -> String {
    text.chars().take(most).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Keys and addresses travel in queries, so none is written.
fn without_query(url: &str) -> String {
    plain(url.split(['?', '#']).next().unwrap_or_default(), TEXT_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_keys_nor_lines_get_into_the_log() {
        assert_eq!(without_query("https://a.example/api/orders?api_key=secret#x"), "https://a.example/api/orders");
        assert_eq!(plain("one\nlevel=ERROR two", 99), "one level=ERROR two");
    }
}
