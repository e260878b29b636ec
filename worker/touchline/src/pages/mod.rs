//! The worker's own pages, plain and without scripts (`OPS-6`).
//!
//! | module | what |
//! |---|---|
//! | [`calls`] | `/docs`: the API reference |
//! | [`playback`] | `/playback` of the admin listener: current playback quality |
//! | [`social`] | `/demo/social/…`: a stand-in for social sign-in providers |
//! | [`mail`] | `/demo/mail`: the demo mailbox |
//!
//! A host whose channel cannot be served answers every page with [`unavailable`].

mod calls;
mod mail;
pub(crate) mod playback;
mod social;

use axum::Router;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use touchline_channel::mail::FolderMailer;

/// Allows only one style sheet.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);
/// In seconds.
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("30");
pub(crate) const STYLE: &str = include_str!("style.css");

/// The path of the pages' style sheet, which every host serves.
pub(crate) const STYLE_PATH: &str = "/docs/style.css";

pub(crate) const DEMO_SOCIAL: &str = "/demo/social";

/// The routes. `demo_mail` is set if the demo's emails go to a folder; `has_demo_social` if the demo has its own
/// sign-in provider.
pub(crate) fn router(demo_mail: Option<FolderMailer>, has_demo_social: bool) -> Router {
    let router = Router::new()
        .route("/docs", get(calls::page))
        .route("/docs/openapi.json", get(calls::document))
        .route(STYLE_PATH, get(async || ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], STYLE)));
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

/// The answer to every page of a channel that cannot be served (`OPS-54`). The channel's language is unknown.
pub(crate) fn unavailable() -> Response {
    let body = "<h1>This site is temporarily unavailable</h1><p>We’re working on it. Please try again in a few minutes.</p>\
                <section lang=\"fr\"><h1>Ce site est momentanément indisponible</h1>\
                <p>Nous y travaillons. Veuillez réessayer dans quelques minutes.</p></section>";
    let mut response = page("Temporarily unavailable · Momentanément indisponible", body, "no-store");
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    response.headers_mut().insert(header::RETRY_AFTER, RETRY_AFTER);
    response
}

/// Renders a page; `body` is HTML.
fn page(title: &str, body: &str, cache_control: &'static str) -> Response {
    let html = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><link rel=\"stylesheet\" href=\"{STYLE_PATH}\">\
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
