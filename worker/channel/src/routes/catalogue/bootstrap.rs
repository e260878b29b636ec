//! `GET /channel-bootstrap-data`: the channel's static data in one response.

use axum::response::Response;
use touchline_protocol::catalogue::Bootstrap;
use touchline_protocol::envelope::Data;

use super::pages::listed_pages;
use super::request::CatalogueRequest;
use crate::catalogue::presenter::Presenter;
use crate::http::{ApiKeyQuery, ApiResult, KeyedFailures};

/// Returns the channel's static data (`START-2`).
///
/// Packages include what the viewer already owns.
#[utoipa::path(
    get, path = "/api/channel-bootstrap-data", tag = "Channel data", params(ApiKeyQuery),
    responses((status = 200, body = Data<Bootstrap>), (status = 304, description = "not modified"), KeyedFailures)
)]
pub(crate) async fn channel_bootstrap_data(request: CatalogueRequest) -> ApiResult<Response> {
    request.for_viewer("channel-bootstrap-data", |presenter| Data::of(bootstrap(presenter))).await
}

/// The channel's static data for one viewer.
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
