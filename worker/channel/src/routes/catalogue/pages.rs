//! `GET /pages`, `/pages/{id}`, `/slides/web`, `/faq`, `/custom-forms/{alias}`.

use axum::response::Response;
use serde::Deserialize;
use touchline_protocol::catalogue::{ContentPage, CustomForm, Faq, Slide};
use touchline_protocol::envelope::{Data, Failure, Page};

use super::paging::whole;
use super::query::choice;
use super::request::CatalogueRequest;
use crate::catalogue::ChannelSnapshot;
use crate::http::{ApiError, ApiKeyQuery, ApiResult, KeyedFailures, PathId, PathName, Query};

/// The pages without their content.
pub(super) fn listed_pages(channel: &ChannelSnapshot) -> Vec<ContentPage> {
    channel.pages.iter().map(|page| ContentPage { content: None, ..page.clone() }).collect()
}

/// The channel's pages, without their content (`PAGE-1`).
#[utoipa::path(
    get, path = "/api/pages", tag = "Channel data", params(ApiKeyQuery),
    responses((status = 200, body = Page<ContentPage>), (status = 304, description = "unchanged"), KeyedFailures)
)]
pub async fn pages(asks: CatalogueRequest) -> ApiResult<Response> {
    asks.same_for_all("pages", |channel| whole(listed_pages(channel))).await
}

/// One page with its content (`ROUTE-10`).
#[utoipa::path(
    get, path = "/api/pages/{id}", tag = "Channel data",
    params(("id" = i64, Path, description = "Its id.", example = 1), ApiKeyQuery),
    responses(
        (status = 200, body = Data<ContentPage>), (status = 304, description = "unchanged"),
        (status = 404, body = Failure, description = "no such page"), KeyedFailures
    )
)]
pub async fn page(PathId(id): PathId, asks: CatalogueRequest) -> ApiResult<Response> {
    let page = asks.channel().page(id).ok_or(ApiError::NotFound)?;
    asks.same_for_all(format!("pages/{id}"), |_| Data::of(page.clone())).await
}

/// Whose slides.
#[derive(Debug, Clone, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SlidesQuery {
    /// `main`, `category`, `participant` or `group`; all when absent.
    #[serde(rename = "type")]
    pub kind: Option<String>,
}

/// The slides, of one type or all (`PAGE-2`).
#[utoipa::path(
    get, path = "/api/slides/web", tag = "Channel data", params(SlidesQuery, ApiKeyQuery),
    responses((status = 200, body = Page<Slide>), (status = 304, description = "unchanged"), KeyedFailures)
)]
pub async fn slides(Query(query): Query<SlidesQuery>, asks: CatalogueRequest) -> ApiResult<Response> {
    let kinds = ["main", "category", "participant", "group"].map(|kind| (kind, kind));
    let kind = choice("type", query.kind.as_deref(), &kinds)?;
    asks.same_for_all(format!("slides/{kind:?}"), |channel| {
        let is_asked =
            |slide: &&Slide| kind.is_none_or(|kind| slide.slidable_type.as_deref().unwrap_or("main") == kind);
        whole(channel.slides.iter().filter(is_asked).cloned().collect::<Vec<_>>())
    })
    .await
}

/// Questions and answers.
#[utoipa::path(
    get, path = "/api/faq", tag = "Channel data", params(ApiKeyQuery),
    responses((status = 200, body = Page<Faq>), (status = 304, description = "unchanged"), KeyedFailures)
)]
pub async fn faq(asks: CatalogueRequest) -> ApiResult<Response> {
    asks.same_for_all("faq", |channel| whole(channel.faq.clone())).await
}

/// A form of the channel; 404 is an expected answer (`ERR-6`).
#[utoipa::path(
    get, path = "/api/custom-forms/{alias}", tag = "Channel data",
    params(("alias" = String, Path, description = "E.g. `contact`.", max_length = 300, example = "contact"), ApiKeyQuery),
    responses(
        (status = 200, body = Data<CustomForm>), (status = 304, description = "unchanged"),
        (status = 404, body = Failure, description = "no such form"), KeyedFailures
    )
)]
pub async fn custom_form(PathName(alias): PathName, asks: CatalogueRequest) -> ApiResult<Response> {
    let form = asks.channel().forms.iter().find(|record| record.form.alias == alias).ok_or(ApiError::NotFound)?;
    asks.same_for_all(format!("custom-forms/{alias}"), |_| Data::of(form.form.clone())).await
}
