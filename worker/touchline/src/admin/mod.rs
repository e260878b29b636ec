//! The second listener: metrics for everyone who reaches it, and what the other verbs ask for, with the token in the
//! data folder.
//!
//! | module | what |
//! |---|---|
//! | [`calls`] | what the verbs ask for, and what they are answered |
//! | [`client`] | the verbs' side |

pub(crate) mod calls;
pub(crate) mod client;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use metrics_exporter_prometheus::PrometheusHandle;
use subtle::ConstantTimeEq;

use self::calls::Operations;
use crate::refusal::{not_found, refusal};

/// The routes of the second listener; `calls` are for holders of `token`.
pub(crate) fn router(metrics: PrometheusHandle, operations: Operations, token: String) -> Router {
    let datalake = operations.datalake.clone();
    let metrics = async move || {
        let text = datalake.measured(|| metrics.render());
        ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text)
    };
    let calls = operations.router();
    let calls = calls.layer(middleware::from_fn_with_state(Arc::<str>::from(token), check));
    Router::new().route("/metrics", get(metrics)).nest("/admin", calls).fallback(async || not_found())
}

async fn check(State(token): State<Arc<str>>, request: Request, next: Next) -> Response {
    let shown = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let shown = shown.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
    if bool::from(shown.as_bytes().ct_eq(token.as_bytes())) {
        next.run(request).await
    } else {
        refusal(StatusCode::UNAUTHORIZED, "token", "The token is in the data folder, in admin.token.").into_response()
    }
}
