//! Status streams: the websocket hub behind `/sync`.
//!
//! A viewer's orders, clips and subscriptions (`user`) and the stream status of events (`channel`) are pushed as they
//! change. The hub stores no statuses. It reads positions, backlogs and snapshots from a [`StatusSource`], which
//! notifies it of changes. Clients receive every change exactly once.
//!
//! | module | content |
//! |---|---|
//! | [`source`] | the interface to a source of statuses |
//! | [`limits`] | sizes, counts and times |
//! | [`origin`] | origins that may open a socket |
//! | [`hub`] | the hub: its route, its feed, its drain |
//! | `hub_state` | state shared by the hub and its sockets |
//! | `registry` | connected sockets, counted by key and address |
//! | `handshake` | opening a socket: resumed completely, or from a snapshot |
//! | `snapshots` | each channel's snapshot as JSON, built once for all |
//! | `transport` | the websocket below a socket |
//! | `socket` | one socket from `hello` to its close |
//! | `close_reason` | reasons for closing a socket, and their frames |
//!
//! **Positions.** A socket subscribes first and then reads its position, so that it is notified of any change after
//! what it has read; `seq` identifies duplicates. In a `welcome` with `mode: "resumed"` the positions are the client's
//! own, because the missed statuses follow. The client can use the positions of the welcome in both modes.
//!
//! **Epochs.** The `epoch` of a welcome combines the source's epoch with the owner of the positions, so that nobody
//! resumes from another viewer's positions.

mod hub;
mod limits;
mod origin;
mod source;

mod close_reason;
mod handshake;
mod hub_state;
mod registry;
mod snapshots;
mod socket;
mod transport;

pub use hub::{Hub, Peer};
pub use limits::{Limits, limits};
pub use origin::{OriginRule, SameHost};
pub use source::{AuthError, Feed, Identity, Notice, Scope, SourceError, StatusSource};
