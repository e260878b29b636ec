//! The binary, started as an operator starts it.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod descriptors;
mod examples;
mod full_disk;
mod journal;
mod kills;
mod load;
mod mail;
mod malformed_input;
mod shutdown;
mod startup;

mod openapi;
mod operations;
mod overload;
mod purchase;
mod requests;
mod schemathesis;
mod signals;
mod small_disk;
mod sockets;
mod statuses;
mod support;
