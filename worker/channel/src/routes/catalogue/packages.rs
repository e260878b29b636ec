//! `GET /packages`, `/packages/{id}`, `/subscriptions`, `/subscriptions/{id}`.

use axum::response::Response;
use touchline_protocol::catalogue::{Package, Subscription};
use touchline_protocol::envelope::{Data, Failure, Page};

use super::paging::whole;
use super::request::CatalogueRequest;
use crate::http::{ApiError, ApiKeyQuery, ApiResult, KeyedFailures, PathId};

/// The packages and passes, by weight, with what of them the viewer owns (`PKG`).
#[utoipa::path(
    get, path = "/api/packages", tag = "Payments", params(ApiKeyQuery),
    responses((status = 200, body = Page<Package>, links(
        ("buyFirst" = (operation_id = "buy", request_body = json!({
            "api_key": "$request.query.api_key", "type": "package", "id": "$response.body#/data/0/id",
        }))),
    )), (status = 304, description = "unchanged"), KeyedFailures)
)]
pub async fn packages(asks: CatalogueRequest) -> ApiResult<Response> {
    let packages = &asks.channel().packages;
    asks.for_viewer("packages", |presenter| {
        whole(packages.iter().map(|package| presenter.package(package)).collect::<Vec<_>>())
    })
    .await
}

/// One package.
#[utoipa::path(
    get, path = "/api/packages/{id}", tag = "Payments",
    params(("id" = i64, Path, description = "Its id.", example = 1), ApiKeyQuery),
    responses(
        (status = 200, body = Data<Package>), (status = 304, description = "unchanged"),
        (status = 404, body = Failure, description = "no such package"), KeyedFailures
    )
)]
pub async fn package(PathId(id): PathId, asks: CatalogueRequest) -> ApiResult<Response> {
    let package = asks.channel().package(id).ok_or(ApiError::NotFound)?;
    asks.for_viewer(format!("packages/{id}"), |presenter| Data::of(presenter.package(package))).await
}

/// The subscriptions, by weight (`SUB-1`).
#[utoipa::path(
    get, path = "/api/subscriptions", tag = "Payments", params(ApiKeyQuery),
    responses((status = 200, body = Page<Subscription>), (status = 304, description = "unchanged"), KeyedFailures)
)]
pub async fn subscriptions(asks: CatalogueRequest) -> ApiResult<Response> {
    asks.same_for_all("subscriptions", |channel| whole(channel.subscriptions.clone())).await
}

/// One subscription.
#[utoipa::path(
    get, path = "/api/subscriptions/{id}", tag = "Payments",
    params(("id" = i64, Path, description = "Its id.", example = 1), ApiKeyQuery),
    responses(
        (status = 200, body = Data<Subscription>), (status = 304, description = "unchanged"),
        (status = 404, body = Failure, description = "no such subscription"), KeyedFailures
    )
)]
pub async fn subscription(PathId(id): PathId, asks: CatalogueRequest) -> ApiResult<Response> {
    let subscription = asks.channel().subscription(id).ok_or(ApiError::NotFound)?;
    asks.same_for_all(format!("subscriptions/{id}"), |_| Data::of(subscription.clone())).await
}
