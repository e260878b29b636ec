//! `/demo/social/…`: a sign-in provider for the demo (`AUTH-14`). It knows two people without passwords, answers this
//! machine only, and exists only with the demo's channels and no other provider.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Query, Request};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::json;
use touchline_channel::http::Client;
use touchline_channel::http::client::host_of;
use url::Url;

use super::escaped;
use crate::error_response::not_found;
use crate::local_host::is_this_machine;

/// Code, first name, last name, email address.
const PEOPLE: [(&str, &str, &str, &str); 2] = [
    ("jamie", "Jamie", "Rivera", "jamie.rivera@social.example"),
    ("alex", "Alex", "Tremblay", "alex.tremblay@social.example"),
];

#[derive(Debug, Deserialize)]
pub(super) struct AuthorizeQuery {
    redirect_uri: String,
    state: String,
}

/// The page where a viewer picks an account.
pub(super) async fn authorize(Query(query): Query<AuthorizeQuery>, request: Request) -> Response {
    let is_here = request.extensions().get::<Client>().is_some_and(|client| client.address.is_loopback());
    let back = Url::parse(&query.redirect_uri).ok().filter(|url| {
        let host = url.host_str().unwrap_or_default();
        matches!(url.scheme(), "http" | "https") && is_this_machine(host) && url.path().starts_with("/auth/login/")
    });
    let Some(back) = back.filter(|_| is_here && is_this_machine(host_of(request.uri(), request.headers()))) else {
        return not_found();
    };
    let link = |answer: &[(&str, &str)]| {
        let mut url = back.clone();
        url.query_pairs_mut().clear().append_pair("state", &query.state).extend_pairs(answer);
        escaped(url.as_str())
    };
    let people: String = PEOPLE
        .iter()
        .map(|(code, first, last, email)| {
            format!("<li><a href=\"{}\">{first} {last}</a> ({email})</li>", link(&[("code", code)]))
        })
        .collect();
    let body = format!(
        "<h1>Sandbox login</h1><p>This page replaces the provider's in the demo. Choose an account.</p>\
         <ul>{people}</ul><p><a href=\"{}\">Cancel</a></p>",
        link(&[("error", "access_denied")])
    );
    super::page("Touchline: sandbox login", &body, "no-store")
}

/// Exchanges a code for a token.
pub(super) async fn token(form: Bytes) -> Response {
    let code = url::form_urlencoded::parse(&form).find(|(name, _)| name == "code").map(|(_, code)| code.into_owned());
    let code = code.unwrap_or_default();
    if PEOPLE.iter().any(|(known, ..)| *known == code) {
        return Json(json!({ "access_token": code, "token_type": "Bearer" })).into_response();
    }
    StatusCode::BAD_REQUEST.into_response()
}

/// Returns the person of a token.
pub(super) async fn userinfo(headers: HeaderMap) -> Response {
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = bearer.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
    match PEOPLE.iter().find(|(known, ..)| *known == token) {
        Some((subject, first, last, email)) => Json(json!({
            "sub": subject, "email": email, "email_verified": true, "given_name": first, "family_name": last,
        }))
        .into_response(),
        None => StatusCode::UNAUTHORIZED.into_response(),
    }
}
