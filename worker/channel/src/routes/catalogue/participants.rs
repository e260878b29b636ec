//! `GET /participants`, `/participant-groups`, `/participant-group-properties`.

use axum::response::Response;
use touchline_protocol::catalogue::{Participant, ParticipantGroup, ParticipantGroupProperty};
use touchline_protocol::envelope::Page;

use super::paging::{PartQuery, whole};
use super::request::CatalogueRequest;
use crate::http::{ApiKeyQuery, ApiResult, KeyedFailures, Query};

/// The teams.
#[utoipa::path(
    get, path = "/api/participants", tag = "Channel data", params(PartQuery, ApiKeyQuery),
    responses((status = 200, body = Page<Participant>), (status = 304, description = "unchanged"), KeyedFailures)
)]
pub async fn participants(Query(query): Query<PartQuery>, asks: CatalogueRequest) -> ApiResult<Response> {
    let part = query.usual()?;
    asks.same_for_all(format!("participants/{part:?}"), |channel| {
        let (data, meta) = part.of(channel.participants.clone());
        Page { data, meta }
    })
    .await
}

/// The schools.
#[utoipa::path(
    get, path = "/api/participant-groups", tag = "Channel data", params(ApiKeyQuery),
    responses((status = 200, body = Page<ParticipantGroup>), (status = 304, description = "unchanged"), KeyedFailures)
)]
pub async fn participant_groups(asks: CatalogueRequest) -> ApiResult<Response> {
    asks.same_for_all("participant-groups", |channel| whole(channel.groups.clone())).await
}

/// What is said of schools.
#[utoipa::path(
    get, path = "/api/participant-group-properties", tag = "Channel data", params(ApiKeyQuery),
    responses(
        (status = 200, body = Page<ParticipantGroupProperty>), (status = 304, description = "unchanged"),
        KeyedFailures
    )
)]
pub async fn participant_group_properties(asks: CatalogueRequest) -> ApiResult<Response> {
    asks.same_for_all("participant-group-properties", |channel| whole(channel.group_properties.clone())).await
}
