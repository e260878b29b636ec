//! A contract test for each call about people and money, over the small channel of `tests/channels`. Files mirror
//! `src/routes`.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod account_deletion;
mod app;
mod bodies;
mod cards;
mod checkout;
mod clips;
mod coupons;
mod devices;
mod document;
mod favorites;
mod idempotency;
mod keys;
mod limits;
mod linked_logins;
mod login;
mod mail;
mod media_sessions;
mod orders;
mod password_reset;
mod prices;
mod problem_report;
mod profile;
mod recaptcha;
mod regions;
mod register;
mod social;
mod sold_once;
mod statuses;
mod subscriptions;
