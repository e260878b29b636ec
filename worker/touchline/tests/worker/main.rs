//! The binary, started as an operator starts it.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod begin;
mod descriptors;
mod end;
mod examples;
mod full_disk;
mod hostile;
mod kills;
mod letters;
mod load;

mod openapi;
mod operations;
mod purchase;
mod requests;
mod schemathesis;
mod siege;
mod signals;
mod small_disk;
mod sockets;
mod statuses;
mod support;
