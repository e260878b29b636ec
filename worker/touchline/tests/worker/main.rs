//! The binary, started as an operator starts it.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod audit;
mod books;
mod descriptors;
mod examples;
mod full_disk;
mod journal;
mod kills;
mod load;
mod mail;
mod malformed_input;
mod media;
mod shutdown;
mod startup;

mod openapi;
mod operations;
mod operator;
mod overload;
mod provider;
mod purchase;
mod requests;
mod schemathesis;
mod search;
mod signals;
mod small_disk;
mod sockets;
mod statuses;
mod stripe;
mod stripe_accidents;
mod stripe_place;
mod stripe_walk;
mod stripe_year;
mod support;
