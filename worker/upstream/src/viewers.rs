//! The viewer behind a key, according to the upstream, and this worker's own keys.

use std::collections::HashMap;
use std::time::Duration;

use axum::http::StatusCode;
use moka::future::Cache;
use serde_json::{Value, json};
use tokio::sync::Mutex;
use touchline_protocol::limits::Limit;

use crate::client::{Client, Outgoing, Reply};
use crate::failure::Failure;
use crate::request::{Query, digest_of};

/// Lifetime of the upstream's response about a key.
const VIEWER_LIFETIME: Duration = Duration::from_secs(60);
/// Period during which an anonymous key gets the response for all viewers.
const ANONYMOUS_LIFETIME: Duration = Duration::from_secs(3600);
/// Most keys in the cache.
pub(crate) const MAX_CACHED_KEYS: u64 = 200_000;
pub(crate) const LIMITS: &[Limit] = &[
    Limit::time("upstream.believed", VIEWER_LIFETIME, "Lifetime of the cached viewer of a key."),
    Limit::time(
        "upstream.anonymous",
        ANONYMOUS_LIFETIME,
        "How long a key recognised as anonymous gets public responses.",
    ),
    Limit::count("upstream.keys", MAX_CACHED_KEYS, "keys", "Cached viewer keys, as digests."),
];

/// The viewer behind a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Viewer {
    /// A viewer who isn't signed in.
    Anonymous,
    /// A signed-in viewer, by the upstream's id.
    Person(i64),
    /// The key is invalid.
    Refused,
}

#[derive(Debug)]
pub(crate) struct Viewers {
    /// By digest of the key.
    viewers: Cache<String, Viewer>,
    /// Digests of keys that were anonymous a while ago. They get public responses, so an outdated entry shows a
    /// signed-in viewer too little for a while, and never too much.
    anonymous: Cache<String, ()>,
    /// This worker's own anonymous keys, by channel. Viewers never get one.
    worker_keys: Mutex<HashMap<String, String>>,
}

impl Default for Viewers {
    fn default() -> Self {
        Self {
            viewers: Cache::builder().max_capacity(MAX_CACHED_KEYS).time_to_live(VIEWER_LIFETIME).build(),
            anonymous: Cache::builder().max_capacity(MAX_CACHED_KEYS).time_to_live(ANONYMOUS_LIFETIME).build(),
            worker_keys: Mutex::default(),
        }
    }
}

impl Viewers {
    /// Whether a key gets the response for all viewers. `None` if that isn't known.
    pub(crate) async fn is_anonymous(&self, api_key: &str) -> Option<bool> {
        let digest = digest_of(api_key);
        match self.viewers.get(&digest).await {
            Some(viewer) => Some(viewer == Viewer::Anonymous),
            None => self.anonymous.get(&digest).await.map(|()| true),
        }
    }

    /// The viewer behind a key.
    pub(crate) async fn identify(&self, client: &Client, api_key: &str) -> Result<Viewer, Failure> {
        if let Some(viewer) = self.viewers.get(&digest_of(api_key)).await {
            return Ok(viewer);
        }
        let query = Query::default().with_key(Some(api_key));
        let viewer = viewer_of(&client.send(&Outgoing::get("profile", query)).await?)?;
        self.learn(api_key, viewer).await;
        Ok(viewer)
    }

    /// Remembers the viewer that a response revealed.
    pub(crate) async fn learn(&self, api_key: &str, viewer: Viewer) {
        let digest = digest_of(api_key);
        if viewer == Viewer::Anonymous {
            self.anonymous.insert(digest.clone(), ()).await;
        } else {
            self.anonymous.invalidate(&digest).await;
        }
        self.viewers.insert(digest, viewer).await;
    }

    /// Forgets a key whose viewer may have changed by a login or logout.
    pub(crate) async fn forget(&self, api_key: &str) {
        let digest = digest_of(api_key);
        self.viewers.invalidate(&digest).await;
        self.anonymous.invalidate(&digest).await;
    }

    /// This worker's own key for a channel.
    pub(crate) async fn worker_key(&self, client: &Client, channel_key: &str) -> Result<String, Failure> {
        let mut worker_keys = self.worker_keys.lock().await;
        if let Some(key) = worker_keys.get(channel_key) {
            return Ok(key.clone());
        }
        let reply = client.send(&Outgoing::post("get_api_key", &json!({ "channel_key": channel_key }))).await?;
        if reply.status != StatusCode::OK {
            return Err(Failure::Status(reply.status.as_u16()));
        }
        let key = key_in(&reply.json()?).ok_or(Failure::InvalidReply("the response has no api_key"))?;
        worker_keys.insert(channel_key.to_owned(), key.clone());
        Ok(key)
    }

    /// Drops this worker's key after the upstream refused it.
    pub(crate) async fn drop_worker_key(&self, channel_key: &str, refused: &str) {
        let mut worker_keys = self.worker_keys.lock().await;
        if worker_keys.get(channel_key).is_some_and(|key| key == refused) {
            worker_keys.remove(channel_key);
        }
    }
}

/// The new key in a response.
pub(crate) fn key_in(reply: &Value) -> Option<String> {
    let data = reply.get("data").unwrap_or(reply);
    data["api_key"].as_str().filter(|key| !key.is_empty()).map(ToOwned::to_owned)
}

/// The viewer in a response to `GET profile`.
fn viewer_of(reply: &Reply) -> Result<Viewer, Failure> {
    match reply.status {
        StatusCode::OK => {
            let body = reply.json()?;
            let data = body.get("data").unwrap_or(&body);
            let id = data["id"].as_i64().or_else(|| data["id"].as_str()?.parse().ok());
            Ok(Viewer::Person(id.ok_or(Failure::InvalidReply("the profile has no numeric id"))?))
        }
        StatusCode::UNAUTHORIZED => Ok(Viewer::Anonymous),
        // A key with a temporary password or of a blocked account belongs to an unknown viewer.
        _ if names_bad_key(reply) => Ok(Viewer::Refused),
        StatusCode::FORBIDDEN => Ok(Viewer::Anonymous),
        other => Err(Failure::Status(other.as_u16())),
    }
}

/// Whether a response says that the key is invalid.
pub(crate) fn names_bad_key(reply: &Reply) -> bool {
    let is_about_key = |body: Value| body["errors"]["api_key"].is_array() || body["errors"]["api_key"].is_string();
    reply.status == StatusCode::BAD_REQUEST && reply.json().is_ok_and(is_about_key)
}
