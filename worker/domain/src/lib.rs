//! The rules of a channel, as types and pure functions. No I/O: the crate depends on no server, no database, no runtime.
//!
//! | module | what |
//! |---|---|
//! | [`orders`] | the moves of a placed order: settle, stop renewing, expire, refund |
//! | [`subscriptions`] | a subscription beside its order |
//! | [`orders::transitions`] | what a move gives: the new state, the event, or a refusal |
//! | [`periods`] | how long a subscription runs |
//! | [`prices`] | offers, quotes, and whether the buyer saw the price |
//! | [`coupons`] | what a promo code takes off, and from which products |
//! | [`purchases`] | what may be bought, and by whom |
//! | [`payments`] | which payment of an order is next, and until when it pays for |
//! | [`entitlements`], [`categories`], [`regions`] | who may watch what, and where |
//! | [`accounts`] | people: their fields, and what a change brings about |
//! | [`clips`] | who may cut clips, what of, and how one moves on |
//!
//! A store loads a row, makes the domain value, calls a move, and saves the result in the same transaction
//! (`docs/adr/0012-a-domain-under-the-channel.md`).
//!
//! The caller passes the time in, as milliseconds since 1970. Money is integer minor units.

pub mod accounts;
pub mod categories;
pub mod clips;
pub mod coupons;
pub mod entitlements;
pub mod orders;
pub mod payments;
pub mod periods;
pub mod prices;
pub mod purchases;
pub mod regions;
pub mod subscriptions;

/// A day in milliseconds.
pub const DAY_MS: i64 = 24 * 3600 * 1000;
