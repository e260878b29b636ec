//! `GET /participants`, `/participant-groups`, `/participant-group-properties`.

use axum::response::Response;
use touchline_protocol::catalogue::{Participant, ParticipantGroup, ParticipantGroupProperty};
use touchline_protocol::envelope::Page;

use super::paging::{PageQuery, full_page};
use super::request::CatalogueRequest;
use crate::http::{ApiKeyQuery, ApiResult, KeyedFailures, Query};

/// Returns the teams.
#[utoipa::path(
    get, path = "/api/participants", tag = "Channel data", params(PageQuery, ApiKeyQuery),
    responses((status = 200, body = Page<Participant>), (status = 304, description = "not modified"), KeyedFailures)
)]
pub(crate) async fn participants(Query(query): Query<PageQuery>, request: CatalogueRequest) -> ApiResult<Response> {
    let part = query.range_or_default()?;
    request
        .same_for_all(format!("participants/{part:?}"), |channel| {
            let (data, meta) = part.of(channel.participants.clone());
            Page { data, meta }
        })
        .await
}

/// Returns the schools.
#[utoipa::path(
    get, path = "/api/participant-groups", tag = "Channel data", params(ApiKeyQuery),
    responses((status = 200, body = Page<ParticipantGroup>), (status = 304, description = "not modified"), KeyedFailures)
)]
pub(crate) async fn participant_groups(request: CatalogueRequest) -> ApiResult<Response> {
    request.same_for_all("participant-groups", |channel| full_page(channel.groups.clone())).await
}

/// Returns the school properties.
#[utoipa::path(
    get, path = "/api/participant-group-properties", tag = "Channel data", params(ApiKeyQuery),
    responses(
        (status = 200, body = Page<ParticipantGroupProperty>), (status = 304, description = "not modified"),
        KeyedFailures
    )
)]
pub(crate) async fn participant_group_properties(request: CatalogueRequest) -> ApiResult<Response> {
    request.same_for_all("participant-group-properties", |channel| full_page(channel.group_properties.clone())).await
}
