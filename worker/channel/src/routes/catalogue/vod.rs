//! `GET /vod-media-items`, `/vod-media-items/{id}`, `/vod-media-categories`, `/vod-media-rails`, `/vod-media/search`
//! (`CALL-7`).

use axum::response::Response;
use serde::Deserialize;
use touchline_protocol::catalogue::{VodMediaCategory, VodMediaItem, VodRail};
use touchline_protocol::envelope::{Data, Failure, Page};

use super::paging::{PageQuery, full_page};
use super::query::{choice, text};
use super::request::CatalogueRequest;
use crate::catalogue::listing::{PageRange, videos};
use crate::http::{ApiError, ApiKeyQuery, ApiResult, KeyedFailures, PathId, Query};

/// Default number of search results (`VOD-2`).
const SEARCH_LIMIT: u64 = 10;

/// Selects videos.
#[derive(Debug, Clone, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct VideosQuery {
    /// Part of the title.
    #[param(max_length = 200)]
    pub(crate) title: Option<String>,
    /// ID of the library category.
    pub(crate) category_id: Option<i64>,
    /// `date` (default) or `title`.
    pub(crate) sort_field: Option<String>,
    /// `asc` or `desc`; defaults to `desc` by date and `asc` by title.
    pub(crate) sort_direction: Option<String>,
    /// Maximum number of items: 1 to 100; defaults to 10 for a search and 24 for the list.
    #[param(minimum = 1, maximum = 100)]
    pub(crate) limit: Option<u64>,
    /// Number of items to skip.
    #[param(minimum = 0, maximum = 1_000_000)]
    pub(crate) offset: Option<u64>,
    /// `1` returns all items.
    #[param(minimum = 0, maximum = 1)]
    pub(crate) no_limit: Option<u8>,
}

impl VideosQuery {
    async fn answer(
        &self,
        request: &CatalogueRequest,
        part: impl FnOnce(PageQuery) -> ApiResult<PageRange>,
    ) -> ApiResult<Response> {
        let part = part(PageQuery { limit: self.limit, offset: self.offset, no_limit: self.no_limit })?;
        let title = text("title", self.title.as_deref())?.unwrap_or_default();
        let by_title = choice("sort_field", self.sort_field.as_deref(), &[("date", false), ("title", true)])?;
        let by_title = by_title.unwrap_or(false);
        let descending = choice("sort_direction", self.sort_direction.as_deref(), &[("asc", false), ("desc", true)])?;
        let descending = descending.unwrap_or(!by_title);
        let channel = request.channel();
        let category_id = self.category_id;
        let call = format!("vod/{title:?}/{category_id:?}/{by_title}/{descending}/{part:?}");
        request
            .for_viewer(call, |presenter| {
                let (found, meta) = part.of(videos(channel, &title, category_id, by_title, descending));
                Page { data: found.into_iter().map(|video| presenter.video(video)).collect::<Vec<_>>(), meta }
            })
            .await
    }
}

/// Returns the library's videos, by default newest first (`VOD-1`).
#[utoipa::path(
    get, path = "/api/vod-media-items", tag = "Vod", params(VideosQuery, ApiKeyQuery),
    responses((status = 200, body = Page<VodMediaItem>), (status = 304, description = "not modified"), KeyedFailures)
)]
pub(crate) async fn vod_media_items(
    Query(query): Query<VideosQuery>,
    request: CatalogueRequest,
) -> ApiResult<Response> {
    query.answer(&request, |part| part.range_or_default()).await
}

/// Returns a library video.
#[utoipa::path(
    get, path = "/api/vod-media-items/{id}", tag = "Vod",
    params(("id" = i64, Path, description = "ID of the video.", example = 1), ApiKeyQuery),
    responses(
        (status = 200, body = Data<VodMediaItem>), (status = 304, description = "not modified"),
        (status = 404, body = Failure, description = "the video doesn't exist"), KeyedFailures
    )
)]
pub(crate) async fn vod_media_item(PathId(id): PathId, request: CatalogueRequest) -> ApiResult<Response> {
    let video = request.channel().video(id).ok_or(ApiError::NotFound)?;
    request.for_viewer(format!("vod-media-items/{id}"), |presenter| Data::of(presenter.video(video))).await
}

/// Returns the library's categories.
#[utoipa::path(
    get, path = "/api/vod-media-categories", tag = "Vod", params(ApiKeyQuery),
    responses((status = 200, body = Page<VodMediaCategory>), (status = 304, description = "not modified"), KeyedFailures)
)]
pub(crate) async fn vod_media_categories(request: CatalogueRequest) -> ApiResult<Response> {
    request.same_for_all("vod-media-categories", |channel| full_page(channel.vod_categories.clone())).await
}

/// Returns the library's rails.
#[utoipa::path(
    get, path = "/api/vod-media-rails", tag = "Vod", params(ApiKeyQuery),
    responses((status = 200, body = Page<VodRail>), (status = 304, description = "not modified"), KeyedFailures)
)]
pub(crate) async fn vod_media_rails(request: CatalogueRequest) -> ApiResult<Response> {
    request.for_viewer("vod-media-rails", |presenter| full_page(presenter.rails())).await
}

/// Searches the library's videos by title (`VOD-2`).
#[utoipa::path(
    get, path = "/api/vod-media/search", tag = "Vod", params(VideosQuery, ApiKeyQuery),
    responses((status = 200, body = Page<VodMediaItem>), (status = 304, description = "not modified"), KeyedFailures)
)]
pub(crate) async fn vod_media_search(
    Query(query): Query<VideosQuery>,
    request: CatalogueRequest,
) -> ApiResult<Response> {
    query.answer(&request, |part| part.part(SEARCH_LIMIT)).await
}
