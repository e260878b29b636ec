//! `GET /vod-media-items`, `/vod-media-items/{id}`, `/vod-media-categories`, `/vod-media-rails`, `/vod-media/search`
//! (`CALL-7`).

use axum::response::Response;
use serde::Deserialize;
use touchline_protocol::catalogue::{VodMediaCategory, VodMediaItem, VodRail};
use touchline_protocol::envelope::{Data, Failure, Page};

use super::paging::{PartQuery, whole};
use super::query::{choice, text};
use super::request::CatalogueRequest;
use crate::catalogue::listing::{Part, videos};
use crate::http::{ApiError, ApiKeyQuery, ApiResult, KeyedFailures, PathId, Query};

/// How many videos a search gives when nothing is said (`VOD-2`).
const SEARCH_LIMIT: u64 = 10;

/// Which videos.
#[derive(Debug, Clone, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct VideosQuery {
    /// Part of the title.
    #[param(max_length = 200)]
    pub title: Option<String>,
    /// Of this category of the library.
    pub category_id: Option<i64>,
    /// `date` (when nothing is said) or `title`.
    pub sort_field: Option<String>,
    /// `asc` or `desc`; when nothing is said `desc` by date, `asc` by title.
    pub sort_direction: Option<String>,
    /// At most so many items: 1 to 100; when nothing is said 10 of a search, 24 of the list.
    #[param(minimum = 1, maximum = 100)]
    pub limit: Option<u64>,
    /// Leaving out so many.
    #[param(minimum = 0, maximum = 1_000_000)]
    pub offset: Option<u64>,
    /// 1 for all of them.
    #[param(minimum = 0, maximum = 1)]
    pub no_limit: Option<u8>,
}

impl VideosQuery {
    async fn answer(
        &self,
        asks: &CatalogueRequest,
        part: impl FnOnce(PartQuery) -> ApiResult<Part>,
    ) -> ApiResult<Response> {
        let part = part(PartQuery { limit: self.limit, offset: self.offset, no_limit: self.no_limit })?;
        let title = text("title", self.title.as_deref())?.unwrap_or_default();
        let by_title = choice("sort_field", self.sort_field.as_deref(), &[("date", false), ("title", true)])?;
        let by_title = by_title.unwrap_or(false);
        let descending = choice("sort_direction", self.sort_direction.as_deref(), &[("asc", false), ("desc", true)])?;
        let descending = descending.unwrap_or(!by_title);
        let channel = asks.channel();
        let category_id = self.category_id;
        let call = format!("vod/{title:?}/{category_id:?}/{by_title}/{descending}/{part:?}");
        asks.for_viewer(call, |presenter| {
            let (found, meta) = part.of(videos(channel, &title, category_id, by_title, descending));
            Page { data: found.into_iter().map(|video| presenter.video(video)).collect::<Vec<_>>(), meta }
        })
        .await
    }
}

/// The library's videos, newest first (`VOD-1`).
#[utoipa::path(
    get, path = "/api/vod-media-items", tag = "Vod", params(VideosQuery, ApiKeyQuery),
    responses((status = 200, body = Page<VodMediaItem>), (status = 304, description = "unchanged"), KeyedFailures)
)]
pub async fn vod_media_items(Query(query): Query<VideosQuery>, asks: CatalogueRequest) -> ApiResult<Response> {
    query.answer(&asks, |part| part.usual()).await
}

/// One video of the library.
#[utoipa::path(
    get, path = "/api/vod-media-items/{id}", tag = "Vod",
    params(("id" = i64, Path, description = "Its id.", example = 1), ApiKeyQuery),
    responses(
        (status = 200, body = Data<VodMediaItem>), (status = 304, description = "unchanged"),
        (status = 404, body = Failure, description = "no such video"), KeyedFailures
    )
)]
pub async fn vod_media_item(PathId(id): PathId, asks: CatalogueRequest) -> ApiResult<Response> {
    let video = asks.channel().video(id).ok_or(ApiError::NotFound)?;
    asks.for_viewer(format!("vod-media-items/{id}"), |presenter| Data::of(presenter.video(video))).await
}

/// The library's categories.
#[utoipa::path(
    get, path = "/api/vod-media-categories", tag = "Vod", params(ApiKeyQuery),
    responses((status = 200, body = Page<VodMediaCategory>), (status = 304, description = "unchanged"), KeyedFailures)
)]
pub async fn vod_media_categories(asks: CatalogueRequest) -> ApiResult<Response> {
    asks.same_for_all("vod-media-categories", |channel| whole(channel.vod_categories.clone())).await
}

/// The library's rails.
#[utoipa::path(
    get, path = "/api/vod-media-rails", tag = "Vod", params(ApiKeyQuery),
    responses((status = 200, body = Page<VodRail>), (status = 304, description = "unchanged"), KeyedFailures)
)]
pub async fn vod_media_rails(asks: CatalogueRequest) -> ApiResult<Response> {
    asks.for_viewer("vod-media-rails", |presenter| whole(presenter.rails())).await
}

/// Videos by title (`VOD-2`).
#[utoipa::path(
    get, path = "/api/vod-media/search", tag = "Vod", params(VideosQuery, ApiKeyQuery),
    responses((status = 200, body = Page<VodMediaItem>), (status = 304, description = "unchanged"), KeyedFailures)
)]
pub async fn vod_media_search(Query(query): Query<VideosQuery>, asks: CatalogueRequest) -> ApiResult<Response> {
    query.answer(&asks, |part| part.part(SEARCH_LIMIT)).await
}
