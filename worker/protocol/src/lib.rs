//! What travels between Touchline's parts: channel resources, sync frames, analytics events. Types only, no I/O.
//!
//! | module | what |
//! |---|---|
//! | [`envelope`] | the success and failure shapes of every HTTP answer |
//! | [`ambient`] | time, randomness and ids as traits, the one place where the real ones are read |
//! | [`keys`] | channel keys and API keys |
//! | [`catalogue`] | what a channel shows: events, participants, categories, settings, menus, pages, packages, vod |
//! | [`account`] | people: registration, login, profile, rights, devices |
//! | [`purchases`] | orders, cards, coupons, subscriptions bought |
//! | [`clips`], [`favorites`], [`playback`] | what viewers make, mark and have seen |
//! | [`search`] | what a search finds of the catalogue and of clips |
//! | [`analytics`] | the datalake's events |
//! | [`sync`] | the frames of the status websocket |
//! | [`reports`] | error log lines and problem reports |
//! | [`limits`] | a row of the limits table, plain data |
//! | [`money`] | how amounts are written |
//! | [`time`] | how moments are written |
//! | [`site_path`] | the path of a request, decoded and checked |
//! | [`rate`] | buckets of tokens, which every room counts by |
//!
//! A field marked `x-personal` in the OpenAPI document is personal data, one marked `x-secret` opens something for
//! whoever holds it: the browser keeps both out of actions, state and logs.

pub mod account;
pub mod ambient;
pub mod analytics;
pub mod catalogue;
pub mod clips;
pub mod codes;
pub mod envelope;
pub mod favorites;
pub mod keys;
pub mod limits;
pub mod money;
pub mod playback;
pub mod purchases;
pub mod rate;
pub mod reports;
pub mod search;
pub mod site_path;
pub mod sync;
pub mod time;
