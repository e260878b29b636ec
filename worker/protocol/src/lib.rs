//! Types shared by Touchline's crates: channel resources, sync frames and analytics events. No I/O.
//!
//! | module | contents |
//! |---|---|
//! | [`envelope`] | envelopes of success and error responses |
//! | [`ambient`] | traits for time, randomness and ids, and their only real implementations |
//! | [`codes`] | error codes |
//! | [`keys`] | channel keys and API keys |
//! | [`catalogue`] | the catalogue: events, participants, categories, settings, menus, pages, packages, videos |
//! | [`account`] | accounts: registration, login, profile, access rights, devices |
//! | [`purchases`] | orders, cards, coupons, subscriptions |
//! | [`clips`], [`favorites`], [`playback`] | viewers' clips, favourites and playback positions |
//! | [`search`] | search results |
//! | [`analytics`] | analytics events |
//! | [`sync`] | frames of the status websocket |
//! | [`reports`] | error log lines and problem reports |
//! | [`limits`] | rows of the limits table |
//! | [`isolated`] | names within texts of another direction |
//! | [`money`] | amounts of money |
//! | [`time`] | timestamps |
//! | [`site_path`] | decoded and checked request paths |
//! | [`rate`] | token buckets for rate limits |
//!
//! A field marked `x-personal` in the OpenAPI document is personal data. One marked `x-secret` grants access to its
//! holder. The browser keeps both out of actions, state and logs.

pub mod account;
pub mod ambient;
pub mod analytics;
pub mod catalogue;
pub mod clips;
pub mod codes;
pub mod envelope;
pub mod event_names;
pub mod favorites;
pub mod isolated;
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
