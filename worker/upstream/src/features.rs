//! Features of the upstream beyond the specification (`UP-3`).

use std::collections::BTreeSet;

use axum::http::StatusCode;
use parking_lot::RwLock;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::calls::{call_of, is_extra};
use crate::client::{Client, Outgoing};
use crate::failure::Failure;
use crate::shape::Shapes;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Detected {
    /// Calls outside the specification that the upstream has, as `METHOD path`.
    extras: BTreeSet<String>,
    /// Whether its API document lists `Idempotency-Key`.
    supports_idempotency: bool,
    /// Whether the upstream is another Touchline, recognised by its API document.
    is_touchline: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Features {
    detected: RwLock<Detected>,
    /// Whether the features were detected.
    is_detected: watch::Sender<bool>,
    /// All calls outside the specification, as method and path.
    extra_calls: Vec<(String, String)>,
}

impl Features {
    pub(crate) fn of(shapes: &Shapes) -> Self {
        let is_optional = |(method, path): &(&str, &str)| is_extra(method, path);
        let mut extra_calls: Vec<_> =
            shapes.calls().filter(is_optional).map(|(method, path)| (method.to_owned(), path.to_owned())).collect();
        extra_calls.sort();
        Self { detected: RwLock::default(), is_detected: watch::Sender::default(), extra_calls }
    }

    pub(crate) fn is_detected(&self) -> bool {
        *self.is_detected.borrow()
    }

    /// Waits until the features are detected.
    pub(crate) async fn wait_until_detected(&self) {
        // The sender lives in `self`, so this can't fail.
        let _detected = self.is_detected.subscribe().wait_for(|is_detected| *is_detected).await.is_ok();
    }

    pub(crate) fn supports_idempotency(&self) -> bool {
        self.detected.read().supports_idempotency
    }

    pub(crate) fn is_touchline(&self) -> bool {
        self.detected.read().is_touchline
    }

    /// Whether the upstream has a call outside the specification.
    pub(crate) fn has(&self, method: &str, path: &str) -> bool {
        self.detected.read().extras.contains(&format!("{method} {path}"))
    }

    /// Paths of the calls that nobody answers.
    pub(crate) fn switched_off(&self) -> Vec<String> {
        let off =
            self.extra_calls.iter().filter(|(method, path)| !is_replaced(method, path) && !self.has(method, path));
        off.map(|(_, path)| path.clone()).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Detects the features. If the upstream doesn't respond, the previous ones stay.
    pub(crate) async fn detect(&self, client: &Client) -> bool {
        let Some(found) = self.query(client).await else { return false };
        let changed = *self.detected.read() != found;
        if changed {
            let off = {
                *self.detected.write() = found.clone();
                self.switched_off()
            };
            tracing::info!(
                touchline = found.is_touchline,
                idempotency_keys = found.supports_idempotency,
                switched_off = off.join(","),
                "detected the upstream's features"
            );
        }
        self.is_detected.send_replace(true);
        true
    }

    async fn query(&self, client: &Client) -> Option<Detected> {
        // A stall or broken response leaves this unknown.
        if let Some(document) = document_of(client).await.ok()? {
            let has = |(method, path): &&(String, String)| {
                document["paths"][format!("/api/{path}")][method.to_lowercase()].is_object()
            };
            let name = |(method, path): &(String, String)| format!("{method} {path}");
            return Some(Detected {
                extras: self.extra_calls.iter().filter(has).map(name).collect(),
                supports_idempotency: accepts_key(&document["paths"]["/api/stripe/buy"]["post"]),
                is_touchline: document["paths"]["/api/get_api_key"].is_object(),
            });
        }
        // An upstream that accepts a call that doesn't exist accepts anything.
        let is_selective = !has_call(client, "GET", "no-such-call").await?;
        let mut extras = BTreeSet::new();
        for (method, path) in self.extra_calls.iter().filter(|_| is_selective) {
            if has_call(client, method, path).await? {
                extras.insert(format!("{method} {path}"));
            }
        }
        Some(Detected { extras, supports_idempotency: false, is_touchline: false })
    }
}

/// Whether this worker answers a call that the upstream doesn't have.
fn is_replaced(method: &str, path: &str) -> bool {
    call_of(&method.parse().unwrap_or_default(), path).is_some()
}

/// Returns the upstream's API document, if it is another Touchline.
///
/// # Errors
/// Fails if no response came or it broke off.
async fn document_of(client: &Client) -> Result<Option<Value>, Failure> {
    let body = match client.file("docs/openapi.json").await {
        Ok((StatusCode::OK, body)) => body,
        Ok(_) | Err(Failure::Redirect | Failure::TooLarge) => return Ok(None),
        Err(failure) => {
            tracing::warn!(%failure, "could not detect the upstream's features");
            return Err(failure);
        }
    };
    let document = serde_json::from_slice::<Value>(&body).ok();
    Ok(document.filter(|document| document["paths"].is_object()))
}

fn accepts_key(call: &Value) -> bool {
    call["parameters"].as_array().is_some_and(|all| all.iter().any(|one| one["name"] == "Idempotency-Key"))
}

/// Whether the upstream has a call. The request is empty and has no key, so it has no effect. `None` if the upstream
/// doesn't respond.
pub(crate) async fn has_call(client: &Client, method: &str, path: &str) -> Option<bool> {
    let path: Vec<_> = path.split('/').map(|part| if part.starts_with('{') { "0" } else { part }).collect();
    let mut request = Outgoing::post(path.join("/"), &json!({}));
    request.method = method.parse().ok()?;
    if method != "POST" {
        request.body = None;
        request.headers.clear();
    }
    match client.send(&request).await {
        Ok(reply) => {
            let is_missing = [StatusCode::NOT_FOUND, StatusCode::METHOD_NOT_ALLOWED].contains(&reply.status);
            Some(!is_missing && reply.json().is_ok())
        }
        Err(Failure::Status(501) | Failure::Redirect) => Some(false),
        // The upstream fails on a call that it doesn't have.
        Err(Failure::Status(500)) => Some(false),
        Err(_) => None,
    }
}
