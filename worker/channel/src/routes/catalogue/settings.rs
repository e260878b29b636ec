//! `GET /settings`, `/color-settings/web`, `/menu`, `/popups`.

use axum::response::Response;
use touchline_protocol::catalogue::{ColorSettings, Menu, Popup, Settings};
use touchline_protocol::envelope::{Data, Page};

use super::paging::full_page;
use super::request::CatalogueRequest;
use crate::http::{ApiKeyQuery, ApiResult, KeyedFailures};

/// Returns the channel's settings (`SET-1`).
#[utoipa::path(
    get, path = "/api/settings", tag = "Channel data", params(ApiKeyQuery),
    responses((status = 200, body = Data<Settings>), (status = 304, description = "not modified"), KeyedFailures)
)]
pub(crate) async fn settings(request: CatalogueRequest) -> ApiResult<Response> {
    request.same_for_all("settings", |channel| Data::of(channel.settings.clone())).await
}

/// Returns the channel's colours (`SET-2`).
#[utoipa::path(
    get, path = "/api/color-settings/web", tag = "Channel data", params(ApiKeyQuery),
    responses((status = 200, body = Data<ColorSettings>), (status = 304, description = "not modified"), KeyedFailures)
)]
pub(crate) async fn color_settings(request: CatalogueRequest) -> ApiResult<Response> {
    request.same_for_all("color-settings", |channel| Data::of(channel.colors.clone())).await
}

/// Returns the site's menus (`NAV-7`, `PAGE-1`).
#[utoipa::path(
    get, path = "/api/menu", tag = "Channel data", params(ApiKeyQuery),
    responses((status = 200, body = Data<Menu>), (status = 304, description = "not modified"), KeyedFailures)
)]
pub(crate) async fn menu(request: CatalogueRequest) -> ApiResult<Response> {
    request.same_for_all("menu", |channel| Data::of(channel.menu.clone())).await
}

/// Returns the channel's popups (`PAGE-3`).
#[utoipa::path(
    get, path = "/api/popups", tag = "Channel data", params(ApiKeyQuery),
    responses((status = 200, body = Page<Popup>), (status = 304, description = "not modified"), KeyedFailures)
)]
pub(crate) async fn popups(request: CatalogueRequest) -> ApiResult<Response> {
    request.same_for_all("popups", |channel| full_page(channel.popups.clone())).await
}
