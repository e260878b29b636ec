//! The hub: its route, its feed, its drain.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header;
use axum::response::Response;
use axum::routing::get;
use tokio_util::sync::CancellationToken;
use touchline_protocol::sync::{ServerFrame, Status};

use crate::close_reason::CloseReason;
use crate::hub_state::{HubState, text_of};
use crate::limits::Limits;
use crate::origin::OriginRule;
use crate::registry::{Push, Registry};
use crate::snapshots::Snapshots;
use crate::socket::{self, Connection};
use crate::source::{Feed, Notice, StatusSource};
use crate::transport;

/// The client's address. The server sets it as a request extension.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub IpAddr);

/// A hub. Clones share it.
#[derive(Clone)]
pub struct Hub {
    pub(crate) state: Arc<HubState>,
}

impl Hub {
    /// Starts a hub on `source`. Its feed runs until [`Self::drain`].
    pub fn start(source: Arc<dyn StatusSource>, origins: Arc<dyn OriginRule>, limits: Limits) -> Self {
        let registry = Arc::new(Registry::default());
        let closed = CancellationToken::new();
        let notices = source.subscribe();
        tokio::spawn(closed.clone().run_until_cancelled_owned(forward_notices(notices, Arc::clone(&registry))));
        Self {
            state: Arc::new(HubState { source, origins, limits, registry, snapshots: Snapshots::default(), closed }),
        }
    }

    /// The route `/sync`.
    pub fn router(&self) -> Router {
        Router::new().route("/sync", get(upgrade)).with_state(self.clone())
    }

    /// Number of open sockets.
    pub fn sockets(&self) -> usize {
        self.state.registry.connected()
    }

    /// Asks every client to reconnect within `window`, waits for them to leave, and closes the remaining sockets.
    pub async fn drain(&self, window: Duration) {
        let window_ms = window.as_millis().try_into().unwrap_or(u64::MAX);
        self.state.registry.push_to_all(Push::Drain { window_ms });
        self.empty_within(window).await;
        self.state.closed.cancel();
        self.empty_within(self.state.limits.farewell * 2).await;
    }

    async fn empty_within(&self, time: Duration) {
        let empty = async {
            while self.sockets() > 0 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        // The next step closes the sockets that remain after the timeout.
        let _in_time = tokio::time::timeout(time, empty).await.is_ok();
    }
}

async fn upgrade(State(hub): State<Hub>, request: Request) -> Response {
    let headers = request.headers();
    let text = |name: header::HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default().to_owned());
    let connection = Connection {
        address: request.extensions().get::<Peer>().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |Peer(address)| *address),
        host: text(header::HOST).unwrap_or_default(),
        origin: text(header::ORIGIN),
    };
    // A frame over the limit is still read up to this size, so that its sender receives an error instead of a reset.
    let readable = hub.state.limits.frame_bytes * 16;
    transport::upgrade(request, readable, move |ws| socket::serve(ws, connection, hub.state))
}

/// Passes each notice to the sockets concerned.
async fn forward_notices(mut notices: Box<dyn Feed>, registry: Arc<Registry>) {
    while let Some(notice) = notices.next().await {
        match notice {
            Notice::Changed(scope, status) => registry.push(&scope, || pushed(status)),
            Notice::KeysRevoked(key_ids) => {
                key_ids.iter().for_each(|key_id| registry.end_key(key_id, CloseReason::Key))
            }
            Notice::Overrun => {
                tracing::warn!("the status feed was overrun; every socket reads from the log");
                metrics::counter!("touchline_sync_feed_overruns_total").increment(1);
                registry.push_to_all(Push::CatchUp);
            }
        }
    }
}

fn pushed(status: Status) -> Push {
    Push::Status { stream: status.stream, seq: status.seq, text: text_of(&ServerFrame::Status(status)) }
}
