//! Public content of the channel: `GET` calls, one file per noun. Responses for viewers without purchases are cached
//! (see [`crate::catalogue::response_cache`]).

pub(crate) mod bootstrap;
pub(crate) mod download_event;
pub(crate) mod event_lists;
pub(crate) mod events;
pub(crate) mod geo;
pub(crate) mod package_contents;
pub(crate) mod packages;
pub(crate) mod pages;
mod paging;
pub(crate) mod participants;
pub(crate) mod playback;
pub(crate) mod query;
pub(crate) mod request;
pub(crate) mod search;
pub(crate) mod settings;
pub mod visitor;
pub(crate) mod vod;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::AppState;

/// Routes of the catalogue calls.
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
