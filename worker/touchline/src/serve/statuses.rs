//! The embedded channel's status log, for the hub.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use touchline_channel::catalogue::Channels;
use touchline_channel::http::AppState;
use touchline_protocol::sync::{SnapshotItem, Status};
use touchline_store::{Backlog, Change, StoreError};
use touchline_sync::{AuthError, Feed, Identity, Notice, OriginRule, SameHost, Scope, SourceError, StatusSource};
use url::Url;

#[derive(Clone)]
pub(crate) struct ChannelStatuses(pub(crate) AppState);

#[async_trait]
impl StatusSource for ChannelStatuses {
    async fn authenticate(&self, api_key: &str, host: &str) -> Result<Identity, AuthError> {
        let identity = self.0.authenticate(api_key).await.map_err(fault)?.ok_or(AuthError::Refused)?;
        let channel = self.0.channels().by_host(host).ok_or(AuthError::Refused)?;
        if channel.key() != identity.channel_key {
            return Err(AuthError::Refused);
        }
        Ok(Identity { key_id: identity.key_id.to_string(), channel_key: identity.channel_key, user: identity.user_id })
    }

    async fn epoch(&self) -> Result<String, SourceError> {
        Ok(self.0.store().epoch())
    }

    async fn head(&self, scope: &Scope) -> Result<u64, SourceError> {
        self.0.store().status_head(scope).await.map_err(fault)
    }

    async fn since(&self, scope: &Scope, seq: u64, limit: usize) -> Result<Vec<Status>, SourceError> {
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        match self.0.store().statuses_since(scope, seq, limit).await.map_err(fault)? {
            Backlog::Complete(statuses) => Ok(statuses),
            Backlog::Unavailable => Ok(Vec::new()),
        }
    }

    async fn snapshot(&self, scope: &Scope) -> Result<Vec<SnapshotItem>, SourceError> {
        let (_, items) = self.0.store().status_snapshot(scope).await.map_err(fault)?;
        Ok(items)
    }

    fn subscribe(&self) -> Box<dyn Feed> {
        Box::new(Changes(self.0.store().changes()))
    }
}

/// Allows a page to open a socket on its own host, and on its channel's public address, which a proxy may rename.
#[derive(Debug)]
pub(crate) struct ChannelOrigins(pub(crate) Arc<Channels>);

impl OriginRule for ChannelOrigins {
    fn allows(&self, origin: &str, host: &str) -> bool {
        let public_url =
            || self.0.by_host(host).and_then(|channel| Url::parse(channel.config.public_url.as_deref()?).ok());
        SameHost.allows(origin, host) || public_url().is_some_and(|url| url.origin().ascii_serialization() == origin)
    }
}

struct Changes(Receiver<Change>);

#[async_trait]
impl Feed for Changes {
    async fn next(&mut self) -> Option<Notice> {
        loop {
            return match self.0.recv().await {
                Ok(Change::Status(line)) => Some(Notice::Changed(line.scope.clone(), line.status.clone())),
                Ok(Change::KeysRevoked(ids)) => {
                    Some(Notice::KeysRevoked(ids.iter().map(ToString::to_string).collect()))
                }
                // The orders behind it report it. A visitor's socket carries nothing but the channel's statuses.
                Ok(Change::RightsChanged(_) | Change::VisitorsEnded(_)) => continue,
                Ok(Change::Missed) | Err(RecvError::Lagged(_)) => Some(Notice::Overrun),
                Err(RecvError::Closed) => None,
            };
        }
    }
}

fn fault(error: StoreError) -> SourceError {
    SourceError(error.to_string())
}
