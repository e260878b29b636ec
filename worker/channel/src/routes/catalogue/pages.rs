//! `GET /pages`, `/pages/{id}`, `/slides/web`, `/faq`, `/custom-forms/{alias}`.

use axum::response::Response;
use serde::Deserialize;
use touchline_protocol::catalogue::{ContentPage, CustomForm, Faq, Slide};
use touchline_protocol::envelope::{Data, Failure, Page};

use super::paging::full_page;
use super::query::choice;
use super::request::CatalogueRequest;
use crate::catalogue::ChannelSnapshot;
use crate::http::{ApiError, ApiKeyQuery, ApiResult, KeyedFailures, PathId, PathName, Query};

/// The pages without their content.
pub(super) fn listed_pages(channel: &ChannelSnapshot) -> Vec<ContentPage> {
    channel.pages.iter().map(|page| ContentPage { content: None, ..page.clone() }).collect()
}

/// Returns the channel's pages, without their content (`PAGE-1`).
#[utoipa::path(
    get, path = "/api/pages", tag = "Channel data", params(ApiKeyQuery),
    responses((status = 200, body = Page<ContentPage>), (status = 304, description = "not modified"), KeyedFailures)
)]
pub(crate) async fn pages(request: CatalogueRequest) -> ApiResult<Response> {
    request.same_for_all("pages", |channel| full_page(listed_pages(channel))).await
}

/// Returns a page with its content (`ROUTE-10`).
#[utoipa::path(
    get, path = "/api/pages/{id}", tag = "Channel data",
    params(("id" = i64, Path, description = "ID of the page.", example = 1), ApiKeyQuery),
    responses(
        (status = 200, body = Data<ContentPage>), (status = 304, description = "not modified"),
        (status = 404, body = Failure, description = "the page doesn't exist"), KeyedFailures
    )
)]
pub(crate) async fn page(PathId(id): PathId, request: CatalogueRequest) -> ApiResult<Response> {
    let page = request.channel().page(id).ok_or(ApiError::NotFound)?;
    request.same_for_all(format!("pages/{id}"), |_| Data::of(page.clone())).await
}

/// Selects slides.
#[derive(Debug, Clone, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SlidesQuery {
    /// `main`, `category`, `participant` or `group`; all types by default.
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
}

/// Returns the slides of one type, or all slides (`PAGE-2`).
#[utoipa::path(
    get, path = "/api/slides/web", tag = "Channel data", params(SlidesQuery, ApiKeyQuery),
    responses((status = 200, body = Page<Slide>), (status = 304, description = "not modified"), KeyedFailures)
)]
pub(crate) async fn slides(Query(query): Query<SlidesQuery>, request: CatalogueRequest) -> ApiResult<Response> {
    let kinds = ["main", "category", "participant", "group"].map(|kind| (kind, kind));
    let kind = choice("type", query.kind.as_deref(), &kinds)?;
    request
        .same_for_all(format!("slides/{kind:?}"), |channel| {
            let is_requested =
                |slide: &&Slide| kind.is_none_or(|kind| slide.slidable_type.as_deref().unwrap_or("main") == kind);
            full_page(channel.slides.iter().filter(is_requested).cloned().collect::<Vec<_>>())
        })
        .await
}

/// Returns the frequently asked questions.
#[utoipa::path(
    get, path = "/api/faq", tag = "Channel data", params(ApiKeyQuery),
    responses((status = 200, body = Page<Faq>), (status = 304, description = "not modified"), KeyedFailures)
)]
pub(crate) async fn faq(request: CatalogueRequest) -> ApiResult<Response> {
    request.same_for_all("faq", |channel| full_page(channel.faq.clone())).await
}

/// Returns a custom form.
///
/// The site treats a 404 as a missing form, not as an error (`ERR-6`).
#[utoipa::path(
    get, path = "/api/custom-forms/{alias}", tag = "Channel data",
    params(("alias" = String, Path, description = "Alias of the form, such as `contact`.", max_length = 300, example = "contact"), ApiKeyQuery),
    responses(
        (status = 200, body = Data<CustomForm>), (status = 304, description = "not modified"),
        (status = 404, body = Failure, description = "the form doesn't exist"), KeyedFailures
    )
)]
pub(crate) async fn custom_form(PathName(alias): PathName, request: CatalogueRequest) -> ApiResult<Response> {
    let form = request.channel().forms.iter().find(|record| record.form.alias == alias).ok_or(ApiError::NotFound)?;
    request.same_for_all(format!("custom-forms/{alias}"), |_| Data::of(form.form.clone())).await
}
