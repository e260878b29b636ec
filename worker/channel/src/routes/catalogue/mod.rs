//! What a channel shows, read by everyone: `GET` calls, a file a noun. Answers for viewers who own nothing are kept
//! (see [`crate::catalogue::response_cache`]).

pub mod bootstrap;
pub mod download_event;
pub mod event_lists;
pub mod events;
pub mod geo;
pub mod package_contents;
pub mod packages;
pub mod pages;
mod paging;
pub mod participants;
pub mod playback;
pub mod query;
pub mod request;
pub mod search;
pub mod settings;
pub mod visitor;
pub mod vod;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::AppState;

/// The calls of this module.
pub fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(settings::settings))
        .routes(routes!(settings::color_settings))
        .routes(routes!(settings::menu))
        .routes(routes!(settings::popups))
        .routes(routes!(bootstrap::channel_bootstrap_data))
        .routes(routes!(geo::geo))
        .routes(routes!(pages::pages))
        .routes(routes!(pages::page))
        .routes(routes!(pages::slides))
        .routes(routes!(pages::faq))
        .routes(routes!(pages::custom_form))
        .routes(routes!(participants::participants))
        .routes(routes!(participants::participant_groups))
        .routes(routes!(participants::participant_group_properties))
        .routes(routes!(events::events))
        .routes(routes!(events::event_starts))
        .routes(routes!(events::event))
        .routes(routes!(events::events_categories))
        .routes(routes!(events::events_locations))
        .routes(routes!(event_lists::events_for_homepage))
        .routes(routes!(event_lists::favorite_events))
        .routes(routes!(event_lists::events_with_clip))
        .routes(routes!(download_event::download_event))
        .routes(routes!(playback::event_playback))
        .routes(routes!(packages::packages))
        .routes(routes!(package_contents::package_contents))
        .routes(routes!(packages::package))
        .routes(routes!(packages::subscriptions))
        .routes(routes!(packages::subscription))
        .routes(routes!(vod::vod_media_items))
        .routes(routes!(vod::vod_media_item))
        .routes(routes!(playback::vod_playback))
        .routes(routes!(vod::vod_media_categories))
        .routes(routes!(vod::vod_media_rails))
        .routes(routes!(vod::vod_media_search))
        .routes(routes!(search::search))
}
