//! `GET /packages`, `/packages/{id}`, `/subscriptions`, `/subscriptions/{id}`.

use axum::response::Response;
use touchline_protocol::catalogue::{Package, Subscription};
use touchline_protocol::envelope::{Data, Failure, Page};

use super::paging::full_page;
use super::request::CatalogueRequest;
use crate::http::{ApiError, ApiKeyQuery, ApiResult, KeyedFailures, PathId};

/// Returns the packages and passes sorted by weight, with what the viewer already owns (`PKG`).
#[utoipa::path(
    get, path = "/api/packages", tag = "Payments", params(ApiKeyQuery),
    responses((status = 200, body = Page<Package>, links(
        ("buyFirst" = (operation_id = "buy", request_body = json!({
            "api_key": "$request.query.api_key", "type": "package", "id": "$response.body#/data/0/id",
        }))),
    )), (status = 304, description = "not modified"), KeyedFailures)
)]
pub(crate) async fn packages(request: CatalogueRequest) -> ApiResult<Response> {
    let packages = &request.channel().packages;
    request
        .for_viewer("packages", |presenter| {
            full_page(packages.iter().map(|package| presenter.package(package)).collect::<Vec<_>>())
        })
        .await
}

/// Returns a package.
#[utoipa::path(
    get, path = "/api/packages/{id}", tag = "Payments",
    params(("id" = i64, Path, description = "ID of the package.", example = 1), ApiKeyQuery),
    responses(
        (status = 200, body = Data<Package>), (status = 304, description = "not modified"),
        (status = 404, body = Failure, description = "the package doesn't exist"), KeyedFailures
    )
)]
pub(crate) async fn package(PathId(id): PathId, request: CatalogueRequest) -> ApiResult<Response> {
    let package = request.channel().package(id).ok_or(ApiError::NotFound)?;
    request.for_viewer(format!("packages/{id}"), |presenter| Data::of(presenter.package(package))).await
}

/// Returns the subscriptions sorted by weight (`SUB-1`).
#[utoipa::path(
    get, path = "/api/subscriptions", tag = "Payments", params(ApiKeyQuery),
    responses((status = 200, body = Page<Subscription>), (status = 304, description = "not modified"), KeyedFailures)
)]
pub(crate) async fn subscriptions(request: CatalogueRequest) -> ApiResult<Response> {
    request.same_for_all("subscriptions", |channel| full_page(channel.subscriptions.clone())).await
}

/// Returns a subscription.
#[utoipa::path(
    get, path = "/api/subscriptions/{id}", tag = "Payments",
    params(("id" = i64, Path, description = "ID of the subscription.", example = 1), ApiKeyQuery),
    responses(
        (status = 200, body = Data<Subscription>), (status = 304, description = "not modified"),
        (status = 404, body = Failure, description = "the subscription doesn't exist"), KeyedFailures
    )
)]
pub(crate) async fn subscription(PathId(id): PathId, request: CatalogueRequest) -> ApiResult<Response> {
    let subscription = request.channel().subscription(id).ok_or(ApiError::NotFound)?;
    request.same_for_all(format!("subscriptions/{id}"), |_| Data::of(subscription.clone())).await
}
