//! The viewer behind a key, according to the upstream, and this worker's own keys.

use std::collections::HashMap;
use std::time::Duration;

use axum::http::StatusCode;
use moka::future::Cache;
use serde_json::{Value, json};
use tokio::sync::Mutex;
use touchline_protocol::limits::Limit;

use crate::client::{Answer, Client, Outgoing};
use crate::failure::Failure;
use crate::request::{Query, digest_of};

/// Lifetime of the upstream's response about a key.
const BELIEVED: Duration = Duration::from_secs(60);
/// Period during which an anonymous key gets the response for all viewers.
const ANONYMOUS: Duration = Duration::from_secs(3600);
/// Most keys in the cache.
pub(crate) const REMEMBERED: u64 = 200_000;
pub(crate) const LIMITS: &[Limit] = &[
    Limit::time("upstream.believed", BELIEVED, "Lifetime of the cached viewer of a key."),
    Limit::time("upstream.anonymous", ANONYMOUS, "Time for which a key known as anonymous gets public responses."),
    Limit::count("upstream.keys", REMEMBERED, "keys", "Cached viewer keys, as digests."),
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
    known: Cache<String, Viewer>,
    /// Digests of keys that were anonymous a while ago. They get public responses, so an outdated entry shows a
    /// signed-in viewer too little for a while, and never too much.
    anonymous: Cache<String, ()>,
    /// This worker's own anonymous keys, by channel. Viewers never get one.
    own: Mutex<HashMap<String, String>>,
}

impl Default for Viewers {
    fn default() -> Self {
        Self {
            known: Cache::builder().max_capacity(REMEMBERED).time_to_live(BELIEVED).build(),
            anonymous: Cache::builder().max_capacity(REMEMBERED).time_to_live(ANONYMOUS).build(),
            own: Mutex::default(),
        }
    }
}

impl Viewers {
    /// Whether a key gets the response for all viewers. `None` if that isn't known.
    pub(crate) async fn is_anonymous(&self, api_key: &str) -> Option<bool> {
        let digest = digest_of(api_key);
        match self.known.get(&digest).await {
            Some(viewer) => Some(viewer == Viewer::Anonymous),
            None => self.anonymous.get(&digest).await.map(|()| true),
        }
    }

    /// The viewer behind a key.
    pub(crate) async fn identify(&self, client: &Client, api_key: &str) -> Result<Viewer, Failure> {
        if let Some(known) = self.known.get(&digest_of(api_key)).await {
            return Ok(known);
        }
        let query = Query::default().with_key(Some(api_key));
        let viewer = viewer_of(&client.ask(&Outgoing::get("profile", query)).await?)?;
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
        self.known.insert(digest, viewer).await;
    }

    /// Forgets a key whose viewer may have changed by a login or logout.
    pub(crate) async fn forget(&self, api_key: &str) {
        let digest = digest_of(api_key);
        self.known.invalidate(&digest).await;
        self.anonymous.invalidate(&digest).await;
    }

    /// This worker's own key for a channel.
    pub(crate) async fn own_key(&self, client: &Client, channel_key: &str) -> Result<String, Failure> {
        let mut own = self.own.lock().await;
        if let Some(key) = own.get(channel_key) {
            return Ok(key.clone());
        }
        let answer = client.ask(&Outgoing::post("get_api_key", &json!({ "channel_key": channel_key }))).await?;
        if answer.status != StatusCode::OK {
            return Err(Failure::Status(answer.status.as_u16()));
        }
        let key = key_in(&answer.json()?).ok_or(Failure::Foreign("the response has no api_key"))?;
        own.insert(channel_key.to_owned(), key.clone());
        Ok(key)
    }

    /// Drops an own key that the upstream refused.
    pub(crate) async fn drop_own_key(&self, channel_key: &str, refused: &str) {
        let mut own = self.own.lock().await;
        if own.get(channel_key).is_some_and(|key| key == refused) {
            own.remove(channel_key);
        }
    }
}

/// The new key in a response.
pub(crate) fn key_in(answer: &Value) -> Option<String> {
    let data = answer.get("data").unwrap_or(answer);
    data["api_key"].as_str().filter(|key| !key.is_empty()).map(ToOwned::to_owned)
}

/// The viewer in a response to `GET profile`.
fn viewer_of(answer: &Answer) -> Result<Viewer, Failure> {
    match answer.status {
        StatusCode::OK => {
            let body = answer.json()?;
            let data = body.get("data").unwrap_or(&body);
            let id = data["id"].as_i64().or_else(|| data["id"].as_str()?.parse().ok());
            Ok(Viewer::Person(id.ok_or(Failure::Foreign("the profile has no numeric id"))?))
        }
        StatusCode::UNAUTHORIZED => Ok(Viewer::Anonymous),
        // A key with a temporary password or of a blocked account belongs to an unknown viewer.
        _ if blames_key(answer) => Ok(Viewer::Refused),
        StatusCode::FORBIDDEN => Ok(Viewer::Anonymous),
        other => Err(Failure::Status(other.as_u16())),
    }
}

/// Whether a response says that the key is invalid.
pub(crate) fn blames_key(answer: &Answer) -> bool {
    let blames = |body: Value| body["errors"]["api_key"].is_array() || body["errors"]["api_key"].is_string();
    answer.status == StatusCode::BAD_REQUEST && answer.json().is_ok_and(blames)
}
