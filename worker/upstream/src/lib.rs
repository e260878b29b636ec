//! The site in front of a channel API elsewhere (`origin = https://…`): the proxy of its calls, what is kept of its
//! channel data, the watcher of its orders and clips (`UP`).
//!
//! | module | what |
//! |---|---|
//! | [`check`] | which features of the site work in front of an upstream |
//! | [`origin`] | where the upstream is |
//! | `calls` | which calls pass, and how their answers depend on who asks |
//! | `request` | what of a viewer's request travels on |
//! | `failure` | why there is no answer, and what the viewer is told |
//! | `client` | speaking HTTP: pool, time-outs, limits, no redirect |
//! | `viewers` | whom a key speaks for; this worker's own keys |
//! | `shape`, `versions` | an answer brought into the call's shape; how far a resource has come |
//! | `price` | amounts of money that cannot be read |
//! | `memory` | answers that are kept, revalidated, served stale |
//! | `features` | what the upstream has beyond the specification |
//! | `local` | what the channel folder answers where the upstream has nothing |
//! | `derived` | transactions, where the upstream tells of orders alone |
//! | `writes` | one effect under one `Idempotency-Key`, where the upstream knows none |
//! | `watcher` | asks after what is waited for |
//! | `feed` | the status sockets to another Touchline |
//! | `proxy` | a call on its way |
//! | `public` | what the upstream shows to everyone, read for the site's pages |
//! | `upstream` | the parts, put together |
//!
//! ADR 21 tells why it is so; `docs/upstream.md` which calls each feature of the site needs.

pub mod check;
pub mod origin;

mod calls;
mod client;
mod derived;
mod failure;
mod features;
mod feed;
mod local;
mod memory;
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
pub use public::{PublicAnswers, SharedClip};
pub use request::{Public, Viewpoint};
pub use upstream::{SiteAround, Upstream, UpstreamOptions};
pub use viewers::Viewer;

/// The rows of the limits table.
pub fn limits() -> Vec<Limit> {
    [
        client::LIMITS,
        memory::LIMITS,
        viewers::LIMITS,
        writes::LIMITS,
        watcher::LIMITS,
        feed::LIMITS,
        upstream::LIMITS,
        public::LIMITS,
    ]
    .concat()
}
