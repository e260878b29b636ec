//! The second listener: metrics for everyone who reaches it, and what the other verbs ask for, with the token in the
//! data folder.
//!
//! | module | what |
//! |---|---|
//! | [`calls`] | what the verbs ask for, and what they are answered |
//! | [`client`] | the verbs' side |

pub(crate) mod calls;
pub(crate) mod client;

use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use metrics_exporter_prometheus::PrometheusHandle;
use subtle::ConstantTimeEq;
use touchline_channel::http::client::host_of;

use self::calls::Operations;
use crate::error_response::{error_response, not_found};

/// The routes of the second listener; `calls` are for holders of `token`. With `own_host_alone` the metrics answer to a
/// host that is this machine's, so that no page of another site reads them through a name of its own.
pub(crate) fn router(metrics: PrometheusHandle, operations: Operations, token: String, own_host_alone: bool) -> Router {
    let (datalake, channel) = (operations.datalake.clone(), operations.channel.clone());
    let metrics = async move |uri: Uri, headers: HeaderMap| {
        if own_host_alone && !is_this_machine(host_of(&uri, &headers)) {
            return error_response(
                StatusCode::MISDIRECTED_REQUEST,
                "unknown_host",
                "The metrics are at the address of this machine alone.",
            );
        }
        let refused = if channel.channels.refused().is_some() { 1.0 } else { 0.0 };
        metrics::gauge!("touchline_channels_change_refused").set(refused);
        let text = datalake.measured(|| metrics.render());
        ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
    };
    let calls = operations.router();
    let calls = calls.layer(middleware::from_fn_with_state(Arc::<str>::from(token), check));
    Router::new().route("/metrics", get(metrics)).nest("/admin", calls).fallback(async || not_found())
}

/// Whether a `Host` names this machine itself, which no other site's name can do.
pub(crate) fn is_this_machine(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, port)| if port.ends_with(']') { host } else { name });
    let address = name.trim_matches(['[', ']']).parse::<IpAddr>();
    let name = name.to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost") || address.is_ok_and(|address| address.is_loopback())
}

async fn check(State(token): State<Arc<str>>, request: Request, next: Next) -> Response {
    let shown = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let shown = shown.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
    if bool::from(shown.as_bytes().ct_eq(token.as_bytes())) {
        next.run(request).await
    } else {
        error_response(StatusCode::UNAUTHORIZED, "token", "The token is in the data folder, in admin.token.")
            .into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_not_this_machines_is_told_apart() {
        for own in ["127.0.0.1:9000", "localhost", "LOCALHOST:1", "[::1]:9000", "[::1]", "127.3.2.1"] {
            assert!(is_this_machine(own), "{own}");
        }
        for other in ["", "evil.example", "localhost.evil.example:9000", "192.0.2.1", "[2001:db8::1]:1"] {
            assert!(!is_this_machine(other), "{other}");
        }
    }
}
