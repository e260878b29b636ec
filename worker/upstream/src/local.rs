//! The local channel folder's responses for calls that the upstream doesn't have (`UP-9`).

use std::collections::HashMap;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use serde_json::{Map, Value, json};
use tokio::sync::Mutex;
use tower::ServiceExt;

use crate::request::Query;
use crate::viewers::key_in;

const MAX_REPLY_BYTES: usize = 16 << 20;

pub(crate) struct Local {
    calls: Router,
    /// Local keys by host. They open the folder's data, and no account.
    keys: Mutex<HashMap<String, String>>,
}

impl Local {
    pub(crate) fn new(calls: Router) -> Self {
        Self { calls, keys: Mutex::default() }
    }

    /// The folder's response to a read of channel data. `None` if it has none either.
    pub(crate) async fn read(&self, host: &str, channel_key: &str, path: &str, query: &Query) -> Option<Value> {
        let mut keys = self.keys.lock().await;
        let key = match keys.get(host) {
            Some(key) => key.clone(),
            None => {
                let body = json!({ "channel_key": channel_key }).to_string();
                let key = key_in(&self.call(host, Method::POST, "get_api_key", Body::from(body)).await?)?;
                keys.insert(host.to_owned(), key.clone());
                key
            }
        };
        drop(keys);
        let path = format!("{path}?{}", query.with_key(Some(&key)));
        let reply = self.call(host, Method::GET, &path, Body::empty()).await;
        if reply.is_none() {
            // The key may have expired. The next call creates a new one.
            self.keys.lock().await.remove(host);
        }
        reply
    }

    async fn call(&self, host: &str, method: Method, path: &str, body: Body) -> Option<Value> {
        let mut request = Request::new(body);
        *request.method_mut() = method;
        *request.uri_mut() = format!("/api/{path}").parse().ok()?;
        request.headers_mut().insert(header::HOST, HeaderValue::from_str(host).ok()?);
        request.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let Ok(response): Result<Response, _> = self.calls.clone().oneshot(request).await;
        if response.status() != StatusCode::OK {
            return None;
        }
        serde_json::from_slice(&to_bytes(response.into_body(), MAX_REPLY_BYTES).await.ok()?).ok()
    }
}

/// Adds settings that the upstream doesn't have.
pub(crate) fn fill(target: &mut Map<String, Value>, from: &Map<String, Value>) {
    for (name, value) in from {
        match target.get_mut(name) {
            Some(Value::Object(target)) if let Value::Object(from) = value => fill(target, from),
            Some(target) if !target.is_null() => {}
            _ => drop(target.insert(name.clone(), value.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_settings_come_from_the_folder() {
        let mut target = json!({ "name": "Up", "language": null, "auth": { "remote_auth": 1 } });
        let from =
            json!({ "name": "Local", "language": "fr", "auth": { "remote_auth": 0, "social": [] }, "currency": "CAD" });
        fill(target.as_object_mut().unwrap(), from.as_object().unwrap());
        let filled =
            json!({ "name": "Up", "language": "fr", "auth": { "remote_auth": 1, "social": [] }, "currency": "CAD" });
        assert_eq!(target, filled);
    }
}
