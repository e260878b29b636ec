//! The binary, started as an operator starts it.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod begin;
mod end;
mod examples;
mod hostile;
mod kills;
mod letters;

mod openapi;
mod operations;
mod purchase;
mod requests;
mod schemathesis;
mod siege;
mod sockets;
mod statuses;
mod support;
