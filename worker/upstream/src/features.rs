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
struct Known {
    /// Calls outside the specification that the upstream has, as `METHOD path`.
    extras: BTreeSet<String>,
    /// Whether its API document lists `Idempotency-Key`.
    knows_keys: bool,
    /// Whether the upstream is another Touchline, recognised by its API document.
    is_touchline: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Features {
    known: RwLock<Known>,
    /// Whether the features were detected.
    is_known: watch::Sender<bool>,
    /// All calls outside the specification, as method and path.
    extra_calls: Vec<(String, String)>,
}

impl Features {
    pub(crate) fn of(shapes: &Shapes) -> Self {
        let own = |(method, path): &(&str, &str)| is_extra(method, path);
        let mut extra_calls: Vec<_> =
            shapes.calls().filter(own).map(|(method, path)| (method.to_owned(), path.to_owned())).collect();
        extra_calls.sort();
        Self { known: RwLock::default(), is_known: watch::Sender::default(), extra_calls }
    }

    pub(crate) fn is_known(&self) -> bool {
        *self.is_known.borrow()
    }

    /// Waits until the features are detected.
    pub(crate) async fn known(&self) {
        // The sender lives in `self`, so this can't fail.
        let _known = self.is_known.subscribe().wait_for(|is_known| *is_known).await.is_ok();
    }

    pub(crate) fn knows_keys(&self) -> bool {
        self.known.read().knows_keys
    }

    pub(crate) fn is_touchline(&self) -> bool {
        self.known.read().is_touchline
    }

    /// Whether the upstream has a call outside the specification.
    pub(crate) fn has(&self, method: &str, path: &str) -> bool {
        self.known.read().extras.contains(&format!("{method} {path}"))
    }

    /// Paths of the calls that nobody answers.
    pub(crate) fn switched_off(&self) -> Vec<String> {
        let off =
            self.extra_calls.iter().filter(|(method, path)| !has_stand_in(method, path) && !self.has(method, path));
        off.map(|(_, path)| path.clone()).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Detects the features. If the upstream doesn't respond, the previous ones stay.
    pub(crate) async fn ask(&self, client: &Client) -> bool {
        let Some(found) = self.found(client).await else { return false };
        let changed = *self.known.read() != found;
        if changed {
            let off = {
                *self.known.write() = found.clone();
                self.switched_off()
            };
            tracing::info!(
                touchline = found.is_touchline,
                idempotency_keys = found.knows_keys,
                switched_off = off.join(","),
                "detected the upstream's features"
            );
        }
        self.is_known.send_replace(true);
        true
    }

    async fn found(&self, client: &Client) -> Option<Known> {
        // A stall or broken response leaves this unknown.
        if let Some(document) = document_of(client).await.ok()? {
            let has = |(method, path): &&(String, String)| {
                document["paths"][format!("/api/{path}")][method.to_lowercase()].is_object()
            };
            let name = |(method, path): &(String, String)| format!("{method} {path}");
            return Some(Known {
                extras: self.extra_calls.iter().filter(has).map(name).collect(),
                knows_keys: takes_key(&document["paths"]["/api/stripe/buy"]["post"]),
                is_touchline: document["paths"]["/api/get_api_key"].is_object(),
            });
        }
        // An upstream that accepts a call that doesn't exist accepts anything.
        let tells_apart = !is_there(client, "GET", "no-such-call").await?;
        let mut extras = BTreeSet::new();
        for (method, path) in self.extra_calls.iter().filter(|_| tells_apart) {
            if is_there(client, method, path).await? {
                extras.insert(format!("{method} {path}"));
            }
        }
        Some(Known { extras, knows_keys: false, is_touchline: false })
    }
}

/// Whether this worker answers a call that the upstream doesn't have.
fn has_stand_in(method: &str, path: &str) -> bool {
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

fn takes_key(call: &Value) -> bool {
    call["parameters"].as_array().is_some_and(|all| all.iter().any(|one| one["name"] == "Idempotency-Key"))
}

/// Whether the upstream has a call. The request is empty and has no key, so it has no effect. `None` if the upstream
/// doesn't respond.
pub(crate) async fn is_there(client: &Client, method: &str, path: &str) -> Option<bool> {
    let path: Vec<_> = path.split('/').map(|part| if part.starts_with('{') { "0" } else { part }).collect();
    let mut request = Outgoing::post(path.join("/"), &json!({}));
    request.method = method.parse().ok()?;
    if method != "POST" {
        request.body = None;
        request.headers.clear();
    }
    match client.ask(&request).await {
        Ok(answer) => {
            let lacks = [StatusCode::NOT_FOUND, StatusCode::METHOD_NOT_ALLOWED].contains(&answer.status);
            Some(!lacks && answer.json().is_ok())
        }
        Err(Failure::Status(501) | Failure::Redirect) => Some(false),
        // The upstream fails on a call that it doesn't have.
        Err(Failure::Status(500)) => Some(false),
        Err(_) => None,
    }
}
