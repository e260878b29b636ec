//! The site in front of a remote channel API (`origin = https://…`): a proxy for its calls, a cache of its channel
//! data, and a watcher of its orders and clips (`UP`).
//!
//! | module | contents |
//! |---|---|
//! | [`check`] | the features of the site that work in front of an upstream |
//! | [`origin`] | the upstream's URLs |
//! | `calls` | forwarded calls, and the audience of their responses |
//! | `request` | the parts of a viewer's request that are forwarded |
//! | `failure` | failures of the upstream, and the viewer's error responses |
//! | `client` | HTTP client: pool, timeouts, limits, no redirects |
//! | `viewers` | the viewer behind a key, and this worker's own keys |
//! | `shape`, `versions` | correction of responses to the API's schemas, and versions of resources |
//! | `price` | unreadable amounts of money |
//! | `cache` | the response cache: revalidation and stale responses |
//! | `features` | features of the upstream beyond the specification |
//! | `local` | the channel folder's responses for calls that the upstream doesn't have |
//! | `derived` | transactions derived from orders |
//! | `writes` | idempotent writes to an upstream that ignores `Idempotency-Key` |
//! | `watcher` | polling of orders and clips |
//! | `feed` | status sockets to another Touchline |
//! | `proxy` | handling of one call |
//! | `public` | the upstream's public data, for the site's pages |
//! | `upstream` | the assembled parts |
//!
//! ADR 21 explains the design. `docs/upstream.md` lists the calls that each feature of the site needs.

pub mod check;
pub mod origin;

mod cache;
mod calls;
mod client;
mod derived;
mod failure;
mod features;
mod feed;
mod local;
mod price;
mod proxy;
mod public;
mod request;
mod shape;
mod upstream;
mod versions;
mod viewers;
mod watcher;
mod writes;

use touchline_protocol::limits::Limit;

pub use origin::Origin;
pub use public::{PublicReplies, SharedClip};
pub use request::{Public, Viewpoint};
pub use upstream::{SiteServices, Upstream, UpstreamOptions};
pub use viewers::Viewer;

/// Rows of the limits table.
pub fn limits() -> Vec<Limit> {
    [
        client::LIMITS,
        cache::LIMITS,
        viewers::LIMITS,
        writes::LIMITS,
        watcher::LIMITS,
        feed::LIMITS,
        upstream::LIMITS,
        public::LIMITS,
    ]
    .concat()
}
