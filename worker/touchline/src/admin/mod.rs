//! The admin listener: metrics, playback quality (`/playback`) and the hosts of channels (`/certificate`) for anyone who
//! can reach it, and the API of the verbs for holders of the token in the data folder.
//!
//! | module | what |
//! |---|---|
//! | [`calls`] | the API of the verbs |
//! | [`client`] | its client |
//! | [`quality`] | playback quality by content |

pub(crate) mod calls;
pub(crate) mod client;
mod quality;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use metrics_exporter_prometheus::PrometheusHandle;
use serde::Deserialize;
use subtle::ConstantTimeEq;
use touchline_channel::http::client::host_of;
use touchline_protocol::codes::ErrorCode;

use self::calls::Operations;
use crate::error_response::{error_response, not_found};
use crate::local_host::is_this_machine;
use crate::pages::playback;

/// The routes of the admin listener; the API requires `token`. With `local_host_only`, metrics require a `Host` that
/// names this machine, so that no page of another site can read them through DNS rebinding.
pub(crate) fn router(
    metrics: PrometheusHandle,
    operations: Operations,
    token: String,
    local_host_only: bool,
) -> Router {
    let (datalake, channel) = (operations.datalake.clone(), operations.channel.clone());
    let (lake, channels, is_proxy) = (datalake.clone(), Arc::clone(&channel.channels), operations.is_proxy);
    let quality = move || lake.quality(|datalake_of_page| quality::label(&channels, is_proxy, datalake_of_page));
    let viewings = quality.clone();
    let playback = async move |uri: Uri, headers: HeaderMap| {
        if local_host_only && !is_this_machine(host_of(&uri, &headers)) {
            return wrong_host();
        }
        playback::page(&viewings())
    };
    let metrics = async move |uri: Uri, headers: HeaderMap| {
        if local_host_only && !is_this_machine(host_of(&uri, &headers)) {
            return wrong_host();
        }
        let refused = if channel.channels.refused().is_some() { 1.0 } else { 0.0 };
        metrics::gauge!("touchline_channels_change_refused").set(refused);
        let text = datalake.measured(|| metrics.render()) + &quality::gauges(&quality());
        ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
    };
    let channels = Arc::clone(&operations.channel.channels);
    let certificate = async move |Query(Certificate { domain }): Query<Certificate>| {
        if channels.has_host(&domain) { StatusCode::OK.into_response() } else { not_found() }
    };
    let calls = operations.router();
    let calls = calls.layer(middleware::from_fn_with_state(Arc::<str>::from(token), check));
    let pages = Router::new().route("/playback", get(playback)).route("/docs/style.css", get(playback::style));
    let pages = pages.route("/certificate", get(certificate));
    pages.route("/metrics", get(metrics)).nest("/admin", calls).fallback(async || not_found())
}

/// Caddy's question before it gets a certificate (`OPS-56`).
#[derive(Deserialize)]
struct Certificate {
    #[serde(default)]
    domain: String,
}

fn wrong_host() -> Response {
    let message = "Metrics are only available at this machine's own address.";
    error_response(StatusCode::MISDIRECTED_REQUEST, ErrorCode::UnknownHost, message)
}

async fn check(State(token): State<Arc<str>>, request: Request, next: Next) -> Response {
    let token_header = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token_header = token_header.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
    if bool::from(token_header.as_bytes().ct_eq(token.as_bytes())) {
        next.run(request).await
    } else {
        error_response(
            StatusCode::UNAUTHORIZED,
            ErrorCode::Token,
            "The token in the data folder's admin.token is required.",
        )
        .into_response()
    }
}
