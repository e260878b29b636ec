//! The worker in front of a channel API elsewhere: the site's side for the upstream crate, and its statuses for the
//! hub.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use axum::http::{Extensions, HeaderMap, Uri};
use parking_lot::Mutex;
use tokio::sync::broadcast;
use touchline_channel::Channel;
use touchline_channel::catalogue::Channels;
use touchline_channel::http::client::host_of;
use touchline_channel::http::{AppState, Client};
use touchline_datalake::Sales;
use touchline_protocol::sync::{Scope, SnapshotItem, Status, StatusKind};
use touchline_store::Store;
use touchline_sync::{AuthError, Feed, Identity, Notice, SourceError, StatusSource};
use touchline_upstream::{SiteServices, Upstream, UpstreamOptions, Viewer, Viewpoint};
use utoipa::openapi::OpenApi;

use super::statuses::ChannelStatuses;
use crate::config::{Config, ConfigError};

/// The store of a worker in front of an upstream: watches, writes, statuses. It holds no accounts.
pub(super) const STORE_FILE: &str = "upstream.sqlite";
/// The key under which the store remembers its upstream.
const ORIGIN: &str = "upstream_origin";

/// Connects to the upstream, if one is configured.
pub(crate) async fn open(
    config: &Config,
    channel: &Channel,
    document: &OpenApi,
    is_https: bool,
) -> Result<Option<Upstream>, ConfigError> {
    let Some(origin) = config.origin.clone() else { return Ok(None) };
    let state = channel.state();
    let fault = |error: &dyn std::fmt::Display| ConfigError(format!("origin {origin}: {error}"));
    let stored = state.store().stored_value(ORIGIN, &origin.to_string()).await.map_err(|error| fault(&error))?;
    if stored != origin.to_string() {
        let file = config.data.join(STORE_FILE);
        return Err(fault(&format!("{} belongs to {stored}: move it away first", file.display())));
    }
    let options = UpstreamOptions {
        origin: origin.clone(),
        response_timeout: config.upstream_timeout,
        store: Arc::clone(&state.store),
        clock: Arc::clone(&state.clock),
        entropy: Arc::clone(&state.entropy),
        document: serde_json::to_value(document).map_err(|error| fault(&error))?,
        site: Arc::new(SiteContext { channels: Arc::clone(&state.channels), is_https }),
    };
    Upstream::open(options).map(Some).map_err(|error| fault(&error))
}

struct SiteContext {
    channels: Arc<Channels>,
    is_https: bool,
}

impl SiteServices for SiteContext {
    fn host_of(&self, uri: &Uri, headers: &HeaderMap) -> String {
        host_of(uri, headers).to_owned()
    }

    fn channel_of(&self, host: &str) -> Option<String> {
        self.channels.by_host(host).map(|channel| channel.key().to_owned())
    }

    fn channels(&self) -> Vec<String> {
        self.channels.all().iter().map(|channel| channel.key().to_owned()).collect()
    }

    fn viewpoint(&self, extensions: &Extensions) -> Viewpoint {
        let client = Client::of(extensions);
        Viewpoint { address: Some(client.address.to_string()), country: client.country, is_https: self.is_https }
    }
}

/// Statuses seen by the watcher and the feed.
pub(crate) struct UpstreamStatuses {
    upstream: Upstream,
    channels: Arc<Channels>,
    /// The log they write, also used by the embedded channel.
    log: ChannelStatuses,
    /// API keys of open sockets by key id, with the number of sockets. Watches use them.
    keys: Mutex<HashMap<String, (String, usize)>>,
}

impl UpstreamStatuses {
    pub(crate) fn new(upstream: Upstream, state: &AppState, log: ChannelStatuses) -> Self {
        Self { upstream, channels: Arc::clone(&state.channels), log, keys: Mutex::default() }
    }
}

#[async_trait]
impl StatusSource for UpstreamStatuses {
    async fn authenticate(&self, api_key: &str, host: &str) -> Result<Identity, AuthError> {
        let channel = self.channels.by_host(host).ok_or(AuthError::Refused)?;
        let (viewer, key_id) = self.upstream.identify(api_key).await.map_err(SourceError)?;
        let user = match viewer {
            Viewer::Person(id) => Some(id),
            Viewer::Anonymous => None,
            Viewer::Refused => return Err(AuthError::Refused),
        };
        Ok(Identity { key_id, channel_key: channel.key().to_owned(), user })
    }

    async fn epoch(&self) -> Result<String, SourceError> {
        self.log.epoch().await
    }

    async fn head(&self, scope: &Scope) -> Result<u64, SourceError> {
        self.log.head(scope).await
    }

    async fn since(&self, scope: &Scope, seq: u64, limit: usize) -> Result<Vec<Status>, SourceError> {
        self.log.since(scope, seq, limit).await
    }

    async fn snapshot(&self, scope: &Scope) -> Result<Vec<SnapshotItem>, SourceError> {
        self.log.snapshot(scope).await
    }

    fn subscribe(&self) -> Box<dyn Feed> {
        Box::new(UpstreamFeed { log: self.log.subscribe(), revoked: self.upstream.revoked() })
    }

    fn socket_opened(&self, identity: &Identity, api_key: &str) {
        let Some(user) = identity.user else { return };
        self.keys.lock().entry(identity.key_id.clone()).or_insert_with(|| (api_key.to_owned(), 0)).1 += 1;
        self.upstream.viewer_connected(user, api_key);
    }

    fn socket_closed(&self, identity: &Identity) {
        let Some(user) = identity.user else { return };
        let mut keys = self.keys.lock();
        if let Some((_, count)) = keys.get_mut(&identity.key_id) {
            *count -= 1;
            if *count == 0 {
                keys.remove(&identity.key_id);
            }
        }
        drop(keys);
        self.upstream.viewer_disconnected(user, &identity.key_id);
    }

    fn watch(&self, identity: &Identity, kind: StatusKind, id: i64) {
        let Some(user) = identity.user else { return };
        let key = self.keys.lock().get(&identity.key_id).map(|(key, _)| key.clone());
        if let Some(key) = key {
            self.upstream.watch(user, &identity.channel_key, &key, kind, id);
        }
    }

    fn unwatch(&self, identity: &Identity, kind: StatusKind, id: i64) {
        if let Some(user) = identity.user {
            self.upstream.unwatch(user, kind, id);
        }
    }
}

/// Changes of the log, and revoked keys.
struct UpstreamFeed {
    log: Box<dyn Feed>,
    revoked: broadcast::Receiver<Vec<String>>,
}

#[async_trait]
impl Feed for UpstreamFeed {
    async fn next(&mut self) -> Option<Notice> {
        tokio::select! {
            notice = self.log.next() => notice,
            revoked = self.revoked.recv() => match revoked {
                Ok(keys) => Some(Notice::KeysRevoked(keys)),
                // A revoked key fails at its next call.
                Err(broadcast::error::RecvError::Lagged(_)) => Some(Notice::Overrun),
                Err(broadcast::error::RecvError::Closed) => None,
            },
        }
    }
}

/// Sales as far as this worker has seen: orders of its buyers are followed to the end.
#[derive(Debug)]
pub(crate) struct ObservedOrders(pub(crate) Arc<dyn Store>);

#[async_trait]
impl Sales for ObservedOrders {
    async fn is_sale(&self, transaction_id: &str) -> bool {
        let Ok(id) = transaction_id.parse() else { return false };
        match self.0.last_state(StatusKind::Order, id).await {
            Ok(state) => state.is_some_and(|order| order["status"] == "paid" || order["status"] == "refunded"),
            // If the store cannot be read, the sale counts as real.
            Err(_) => true,
        }
    }
}
