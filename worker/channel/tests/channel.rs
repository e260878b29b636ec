//! The channel over the small folder of `tests/channels`, in one binary, so that what the tests share is compiled once.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod accounts;
mod app;
mod catalogue;
mod folders;
