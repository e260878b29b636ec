//! Cache of responses for viewers without purchases: built once, compressed once, identified by an ETag (`OPS`).
//!
//! Such a response depends only on the channel's load, the number of past status changes, and [`ViewerKind`]. These
//! form the key, so that no entry is ever stale. Signed addresses are never cached, since they belong to one session.

use touchline_domain::entitlements::Entitlements;
use touchline_http::BodyCache;
use touchline_protocol::limits::Limit;

use super::snapshot::ChannelSnapshot;

/// Size limit of the cache in bytes, including keys and every encoding.
const MAX_BYTES: u64 = 32 << 20;
pub(crate) const LIMITS: &[Limit] = &[Limit::bytes(
    "answers.kept",
    MAX_BYTES,
    "Cached responses for viewers without purchases, with keys and encodings. The least recently used are dropped first.",
)];

pub(crate) type ResponseCache = BodyCache<ResponseKey>;

pub(crate) fn empty() -> ResponseCache {
    BodyCache::new(MAX_BYTES, ResponseKey::bytes)
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ResponseKey {
    generation: u64,
    status_changes: usize,
    viewer: ViewerKind,
    call: String,
}

/// All properties in which viewers without purchases differ. A person without rights gets the same response as a
/// visitor.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ViewerKind {
    watches: bool,
    watches_library: bool,
    /// Set only if the channel or an event has geo rules; decides whether the viewer is blocked.
    country: Option<String>,
}

impl ResponseKey {
    /// The key of a public file, by its path.
    pub(crate) fn of_file(channel: &ChannelSnapshot, path: &str) -> Self {
        let viewer = ViewerKind { watches: false, watches_library: false, country: None };
        // No call starts with a channel's key and `media/`.
        Self { generation: channel.generation, status_changes: 0, viewer, call: path.to_owned() }
    }

    /// The key of `call` (its path and query); `None` for a viewer with their own response.
    pub(crate) fn of(channel: &ChannelSnapshot, viewer: &Entitlements, now_s: i64, call: String) -> Option<Self> {
        viewer.owns_nothing().then(|| Self {
            generation: channel.generation,
            status_changes: channel.status_changes_by(now_s),
            viewer: ViewerKind {
                watches: viewer.user_id.is_some() && viewer.can("watch"),
                watches_library: viewer.user_id.is_some() && viewer.can("vod_media"),
                country: viewer.country.clone().filter(|_| channel.depends_on_country()),
            },
            call,
        })
    }

    fn bytes(&self) -> usize {
        size_of::<Self>() + self.call.capacity() + self.viewer.country.as_ref().map_or(0, String::capacity)
    }
}
