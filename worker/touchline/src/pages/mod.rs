//! The worker's own pages, plain and without scripts (`OPS-6`).
//!
//! | module | what |
//! |---|---|
//! | [`calls`] | `/docs`: the API reference |
//! | [`playback`] | `/playback` of the admin listener: current playback quality |
//! | [`social`] | `/demo/social/…`: a stand-in for social sign-in providers |
//! | [`mail`] | `/demo/mail`: the demo mailbox |

mod calls;
mod mail;
pub(crate) mod playback;
mod social;

use axum::Router;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use touchline_channel::mail::FolderMailer;

/// Allows only one style sheet.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);
pub(crate) const STYLE: &str = include_str!("style.css");

pub(crate) const DEMO_SOCIAL: &str = "/demo/social";

/// The routes. `demo_mail` is set if the demo's emails go to a folder; `has_demo_social` if the demo has its own
/// sign-in provider.
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

/// Renders a page; `body` is HTML.
fn page(title: &str, body: &str, cache_control: &'static str) -> Response {
    let html = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><link rel=\"stylesheet\" href=\"/docs/style.css\">\
         </head><body><main>{body}</main></body></html>\n",
        title = escaped(title)
    );
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, HeaderValue::from_static(cache_control)),
    ];
    (headers, html).into_response()
}

/// Escapes text for HTML content and attributes.
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
