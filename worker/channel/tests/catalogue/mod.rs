//! Contract tests for each call of the catalogue and for its media. Files mirror `src/routes/catalogue`.

mod broadcasts;
mod cached_responses;
mod document;
mod download_event;
mod encoders;
mod event_lists;
mod events;
mod media;
mod packages;
mod pages;
mod participants;
mod pulled;
mod reload;
mod search;
mod settings;
mod vod;
