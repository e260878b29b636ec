//! The channel with the small folder of `tests/channels`, in one binary, so that shared test code compiles once.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod accounts;
mod app;
mod catalogue;
mod folders;
