//! What the worker shows of itself, as plain pages without scripts (`OPS-6`).
//!
//! | module | what |
//! |---|---|
//! | [`calls`] | `/docs`: the calls, as the OpenAPI document tells them |
//! | [`playback`] | `/playback` of the second listener: how well it plays now |
//! | [`social`] | `/demo/social/…`: a provider of social log-ins for the demo |
//! | [`mail`] | `/demo/mail`: the letters of the demo, which go nowhere else |

mod calls;
mod mail;
pub(crate) mod playback;
mod social;

use axum::Router;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use touchline_channel::mail::FolderMailer;

/// Nothing but the page's own words and one style sheet.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);
pub(crate) const STYLE: &str = include_str!("style.css");

/// Where the demo's provider of social log-ins is.
pub(crate) const DEMO_SOCIAL: &str = "/demo/social";

/// The pages; with the letters when they are the demo's, and its provider of social log-ins when it has one.
pub(crate) fn router(demo_mail: Option<FolderMailer>, has_demo_social: bool) -> Router {
    let router = Router::new()
        .route("/docs", get(calls::page))
        .route("/docs/openapi.json", get(calls::document))
        .route("/docs/style.css", get(async || ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], STYLE)));
    let router = if has_demo_social {
        router
            .route("/demo/social/authorize", get(social::authorize))
            .route("/demo/social/token", post(social::token))
            .route("/demo/social/userinfo", get(social::userinfo))
    } else {
        router
    };
    match demo_mail {
        Some(mail) => router.route("/demo/mail", get(async move |request| mail::page(mail.clone(), request).await)),
        None => router,
    }
}

/// A page of this title; `body` is HTML.
fn page(title: &str, body: &str, keep: &'static str) -> Response {
    let html = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><link rel=\"stylesheet\" href=\"/docs/style.css\">\
         </head><body><main>{body}</main></body></html>\n",
        title = escaped(title)
    );
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, HeaderValue::from_static(keep)),
    ];
    (headers, html).into_response()
}

/// Text as it may stand in HTML, in attributes too.
pub(crate) fn escaped(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut escaped, character| {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
        escaped
    })
}
