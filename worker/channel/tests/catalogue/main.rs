//! A contract test for each call that reads the catalogue, and for the media behind it, over the small channel of
//! `tests/channels`. Files mirror `src/routes/catalogue`.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod app;
mod document;
mod download_event;
mod event_lists;
mod events;
mod kept_answers;
mod media;
mod packages;
mod pages;
mod participants;
mod reload;
mod settings;
mod vod;
