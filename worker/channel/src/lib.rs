//! The embedded channel: what a viewer of one sports or events channel browses, watches and buys, on a real store.
//!
//! | module | what |
//! |---|---|
//! | [`catalogue`] | what a channel shows: folders of JSON, checked whole, kept in memory, reloaded when they change |
//! | [`media`] | pictures and HLS: signed URLs, live windows |
//! | [`auth`] | keys, passwords, links, limits, social logins |
//! | [`access`] | what a viewer has, worked out from their orders |
//! | [`payments`] | from an order that was placed to one that is paid, failed or refunded |
//! | [`clips`] | cutting clips out of recordings, and keeping them |
//! | [`accounts_admin`], [`erasure`] | blocking and setting accounts; erasing people |
//! | [`mail`] | what is written to people |
//! | [`reports`] | what viewers told about problems |
//! | [`http`] | what every call shares: errors, bodies, who asks |
//! | [`routes`] | the calls, a file a noun, as their paths are |
//! | [`channel`], [`housekeeping`] | opening it all, and the work that goes on behind the calls |
//!
//! A call is: [`http::Caller`] or [`http::Keyed`] finds out who asks; the handler validates, asks the [store](touchline_store) for one
//! transaction, and answers what is on disk by then.

pub mod access;
pub mod accounts_admin;
pub mod auth;
pub mod catalogue;
pub mod channel;
pub mod clips;
mod demo;
pub mod erasure;
pub mod housekeeping;
pub mod http;
mod limits;
pub mod mail;
pub mod media;
pub mod payments;
pub mod reports;
pub mod routes;
pub mod state;

use utoipa_axum::router::OpenApiRouter;

pub use channel::{Channel, ChannelOptions, MailOptions, OpenError};
pub use limits::limits;
pub use touchline_store as store;

use crate::state::AppState;

/// Every call under `/api`, and the media, without their state: what the OpenAPI document is made from.
pub fn router() -> OpenApiRouter<AppState> {
    routes::router().merge(media::router())
}
