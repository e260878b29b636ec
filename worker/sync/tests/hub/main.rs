//! The hub on a real server, with real clients and an in-memory status log.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod frames;
mod model;
mod resume;
mod support;
