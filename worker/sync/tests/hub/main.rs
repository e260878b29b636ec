//! The hub on a real server, with real clients and a status log in memory.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod frames;
mod model;
mod resume;
mod support;
