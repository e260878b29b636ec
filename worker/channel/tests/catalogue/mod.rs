//! A contract test for each call that reads the catalogue, and for the media behind it. Files mirror
//! `src/routes/catalogue`.

mod broadcasts;
mod document;
mod download_event;
mod event_lists;
mod events;
mod kept_answers;
mod media;
mod packages;
mod pages;
mod participants;
mod pulled;
mod reload;
mod search;
mod settings;
mod vod;
