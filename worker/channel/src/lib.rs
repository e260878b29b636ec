//! The embedded channel: a sports or events channel that viewers browse, watch and buy from, on a real store.
//!
//! | module | content |
//! |---|---|
//! | [`catalogue`] | the channel's content: folders of JSON, validated, cached in memory, reloaded when they change |
//! | [`media`] | pictures and HLS: signed URLs, live windows |
//! | [`auth`] | keys, passwords, links, limits, social logins |
//! | [`payments`] | the life of an order: placed, then paid, failed or refunded |
//! | [`broadcast`] | live streams from an encoder's folder, and their recordings |
//! | [`pull`] | media pulled from other hosts |
//! | [`pictures`] | photographs in the sizes that pages use |
//! | [`probe`] | diagnosis of media sources |
//! | [`clips`] | clips cut out of recordings, and their files |
//! | [`bucket`] | media and clips in an S3-compatible bucket |
//! | [`erasure`] | erasing people; [`person_eraser`] is the interface for other components |
//! | [`mail`] | mail to viewers |
//! | [`reports`] | problem reports from viewers |
//! | `messages` | all messages for viewers |
//! | [`source`] | file sources of channel folders |
//! | [`http`] | shared parts of every call: errors, bodies, the caller, and [`AppState`](http::AppState) |
//! | [`routes`] | API calls, one file per noun of their paths; the operator's commands; the media |
//! | [`channel`] | opening and running a channel |
//! | `picture_facts`, `scores` | data about channels that is not in their folders |
//! | `host_owners` | the channel of each host, in the store |
//! | `lost_commits` | payments missing from a store whose journal was damaged |
//! | `background`, [`housekeeping`] | background work |
//!
//! Only [`http`] and [`routes`] use the state that the calls share; the other modules get the dependencies they need.
//! `scripts/module-graph` checks that no two modules depend on each other, apart from parent and child.
//!
//! A call proceeds as follows: [`http::Caller`] or [`http::Keyed`] identifies the caller, the handler validates the
//! request, runs one transaction in the [store](touchline_store), and responds with data that is on disk by then.

pub mod auth;
pub(crate) mod background;
pub mod broadcast;
pub mod bucket;
pub mod catalogue;
pub mod channel;
pub mod clips;
mod demo;
pub mod erasure;
mod host_owners;
pub mod housekeeping;
pub mod http;
mod limits;
mod lost_commits;
pub mod mail;
pub mod media;
mod messages;
pub mod payments;
pub mod person_eraser;
mod picture_facts;
pub mod pictures;
pub mod probe;
pub mod pull;
pub mod reports;
pub mod routes;
pub(crate) mod scores;
pub mod source;

use utoipa_axum::router::OpenApiRouter;

pub use channel::{Channel, ChannelOptions, MailOptions, OpenError};
pub use limits::limits;

/// All calls under `/api`, and the media, without their state: the source of the OpenAPI document.
pub fn router() -> OpenApiRouter<http::AppState> {
    routes::router().merge(routes::media::router())
}
