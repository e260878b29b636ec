//! `GET /channel-bootstrap-data`: everything static in one answer.

use axum::response::Response;
use touchline_protocol::catalogue::Bootstrap;
use touchline_protocol::envelope::Data;

use super::pages::listed_pages;
use super::request::CatalogueRequest;
use crate::catalogue::presenter::Presenter;
use crate::http::{ApiKeyQuery, ApiResult, KeyedFailures};

/// Everything static of the channel (`START-2`). The packages say what of them the viewer owns.
#[utoipa::path(
    get, path = "/api/channel-bootstrap-data", tag = "Channel data", params(ApiKeyQuery),
    responses((status = 200, body = Data<Bootstrap>), (status = 304, description = "unchanged"), KeyedFailures)
)]
pub async fn channel_bootstrap_data(asks: CatalogueRequest) -> ApiResult<Response> {
    asks.for_viewer("channel-bootstrap-data", |presenter| Data::of(bootstrap(presenter))).await
}

/// Everything static of the channel, as one viewer gets it.
pub(super) fn bootstrap(presenter: &Presenter<'_>) -> Bootstrap {
    let channel = presenter.channel();
    Bootstrap {
        color_settings: channel.colors.clone(),
        events_categories: channel.categories.tree().to_vec(),
        events_locations: channel.locations.clone(),
        faq: channel.faq.clone(),
        menu: channel.menu.clone(),
        packages: channel.packages.iter().map(|package| presenter.package(package)).collect(),
        pages: listed_pages(channel),
        participant_groups: channel.groups.clone(),
        settings: channel.settings.clone(),
        slides: channel.slides.clone(),
        subscriptions: channel.subscriptions.clone(),
        participant_group_properties: channel.group_properties.clone(),
    }
}
