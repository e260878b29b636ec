//! The embedded channel: what a viewer of one sports or events channel browses, watches and buys, on a real store.
//!
//! | module | what |
//! |---|---|
//! | [`catalogue`] | what a channel shows: folders of JSON, checked whole, kept in memory, reloaded when they change |
//! | [`media`] | pictures and HLS: signed URLs, live windows |
//! | [`auth`] | keys, passwords, links, limits, social logins |
//! | [`payments`] | from an order that was placed to one that is paid, failed or refunded |
//! | [`broadcast`] | live from the folder of an encoder, and its recording |
//! | [`pull`] | media that are pulled from other hosts |
//! | [`pictures`] | photographs in the sizes that are shown |
//! | [`probe`] | what is wrong with where media come from |
//! | [`clips`] | cutting clips out of recordings, and keeping them |
//! | [`bucket`] | media and clips in an S3-compatible bucket |
//! | [`erasure`] | erasing people; [`person_eraser`] is who else forgets them |
//! | [`mail`] | what is written to people |
//! | [`reports`] | what viewers told about problems |
//! | [`messages`] | every message that a viewer can be shown |
//! | [`source`] | where the files of channels come from |
//! | [`http`] | what every call shares: errors, bodies, who asks, and [`AppState`](http::AppState) |
//! | [`routes`] | the calls, a file a noun, as their paths are; the operator's; the media |
//! | [`channel`] | opens it all |
//! | [`picture_facts`], [`scores`] | what is known of channels beside their folders |
//! | `lost_commits` | what others have of commits that a damaged journal lost |
//! | [`background`], [`housekeeping`] | the work that goes on behind the calls |
//!
//! [`http`] and [`routes`] alone know the state that the calls share; every other room takes the parts that it needs.
//! `scripts/module-graph` holds that no two modules name each other, apart from parent and child.
//!
//! A call is: [`http::Caller`] or [`http::Keyed`] finds out who asks; the handler validates, asks the [store](touchline_store) for one
//! transaction, and answers what is on disk by then.

pub mod auth;
pub mod background;
pub mod broadcast;
pub mod bucket;
pub mod catalogue;
pub mod channel;
pub mod clips;
mod demo;
pub mod erasure;
pub mod housekeeping;
pub mod http;
mod limits;
mod lost_commits;
pub mod mail;
pub mod media;
pub mod messages;
pub mod payments;
pub mod person_eraser;
mod picture_facts;
pub mod pictures;
pub mod probe;
pub mod pull;
pub mod reports;
pub mod routes;
pub mod scores;
pub mod source;

use utoipa_axum::router::OpenApiRouter;

pub use channel::{Channel, ChannelOptions, MailOptions, OpenError};
pub use limits::limits;

/// Every call under `/api`, and the media, without their state: what the OpenAPI document is made from.
pub fn router() -> OpenApiRouter<http::AppState> {
    routes::router().merge(routes::media::router())
}
