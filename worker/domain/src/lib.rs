//! The rules of a channel, as types and pure functions. No I/O: the crate depends on no server, no database, no runtime.
//!
//! | module | contents |
//! |---|---|
//! | [`orders`] | the transitions of a placed order: settle, stop renewing, expire, refund |
//! | [`subscriptions`] | the subscription of an order |
//! | [`orders::transitions`] | the result of a transition: the new state, the event, or a refusal |
//! | [`periods`] | lengths of subscription periods |
//! | [`prices`] | offers, quotes and the check of the price that the buyer saw |
//! | [`coupons`] | discounts of promo codes and the products they apply to |
//! | [`purchases`] | products for sale and who may buy them |
//! | [`payments`] | the next payment of an order and the period it pays for |
//! | [`receipts`] | receipt numbers within their series |
//! | [`entitlements`], [`categories`], [`regions`] | the content that a viewer may watch, by purchase and country |
//! | [`accounts`] | accounts: validation and changes |
//! | [`clips`] | permissions, validation and statuses of clips |
//!
//! A store loads a row, builds the domain value, calls a transition and saves the result in the same transaction
//! (`docs/adr/0012-a-domain-under-the-channel.md`).
//!
//! The caller passes in the time, in milliseconds since 1970. Money is in integer minor units.

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
pub mod receipts;
pub mod regions;
pub mod subscriptions;

/// A day in milliseconds.
pub const DAY_MS: i64 = 24 * 3600 * 1000;
