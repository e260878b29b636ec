//! Status streams: the websocket hub behind `/sync`.
//!
//! A viewer's orders, clips and subscriptions (`user`) and the events' stream status (`channel`) are pushed as they
//! change. The hub owns no status: it reads positions, backlogs and snapshots from a [`StatusSource`], which tells it
//! of changes, and promises its clients that nothing is lost and nothing comes twice.
//!
//! | module | what |
//! |---|---|
//! | [`source`] | what the hub needs of whoever keeps the statuses |
//! | [`limits`] | sizes, counts and times |
//! | [`origin`] | which pages may open a socket |
//! | [`hub`] | the hub: its route, its feed, its drain |
//! | `parts` | what the hub and its sockets share |
//! | `registry` | who is connected, counted by key and address |
//! | `handshake` | how a socket opens: resumed whole, or from a snapshot |
//! | `snapshots` | each channel's snapshot as JSON, made once for all |
//! | `transport` | the websocket below a socket |
//! | `socket` | one socket from `hello` to its close |
//! | `close_reason` | why a socket ends, and what it is told |
//!
//! **Positions.** A socket subscribes first and reads its position second, so a change that is not yet in what it read
//! is told to it later; `seq` tells what it has. In a `welcome` with `mode: "resumed"` the positions are the client's
//! own, since what was missed still follows: taking the welcome's positions is right in both modes.
//!
//! **Epochs.** The `epoch` of a welcome names the source's epoch and whose positions these are, so that another
//! viewer's positions never resume.

pub mod hub;
pub mod limits;
pub mod origin;
pub mod source;

mod close_reason;
mod handshake;
mod parts;
mod registry;
mod snapshots;
mod socket;
mod transport;

pub use hub::{Hub, Peer};
pub use limits::{Limits, limits};
pub use origin::{OriginRule, SameHost};
pub use source::{AuthError, Feed, Identity, Notice, Scope, SourceError, StatusSource};
