//! `GET /favorites`, `POST /favorite`, `DELETE /favorite/{id}` (`CALL-9`, `FAV-1`, `FAV-2`).

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Deserialize;
use serde_json::Value;
use touchline_protocol::codes::ErrorCode;
use touchline_protocol::envelope::{DONE, Data, Done, Failure, Meta, Page};
use touchline_protocol::favorites::{FavoritableType, Favorite, MarkFavorite};
use touchline_protocol::limits::Limit;
use touchline_store::{AddFavoriteResult, NewFavorite};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::catalogue::ChannelSnapshot;
use crate::http::idempotency::{CallIdentity, KeyConflict, MaybeKey, once};
use crate::http::{
    AccountFailures, ApiError, ApiKeyQuery, ApiResult, AppState, Caller, Keyed, PathId, WithKey, messages,
};

/// Limit of favourites per person.
const FAVORITES_MAX: i64 = 500;
pub(crate) const LIMITS: &[Limit] =
    &[Limit::count("favorites.account", FAVORITES_MAX as u64, "favourites", "Favourites of a person.")];

pub(crate) fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(favorites)).routes(routes!(mark_favorite)).routes(routes!(unmark_favorite))
}

/// [`MarkFavorite`] with an unchecked type, since a wrong type has its own message.
#[derive(Debug, Deserialize)]
pub(crate) struct UncheckedFavorite {
    favoritable_id: i64,
    #[serde(default)]
    favoritable_type: Value,
}

/// Returns the viewer's favourites, oldest first.
#[utoipa::path(
    get, path = "/api/favorites", tag = "Favourites", params(ApiKeyQuery),
    responses((status = 200, body = Page<Favorite>), AccountFailures)
)]
pub(crate) async fn favorites(State(state): State<AppState>, caller: Caller) -> ApiResult<Json<Page<Favorite>>> {
    let user = caller.user(&state).await?;
    let favorites = state.store.favorites(user.id).await?;
    let total = favorites.len() as u64;
    Ok(Json(Page { data: favorites, meta: Meta { total, limit: total, offset: 0 } }))
}

/// Adds a team, school or sport to the favourites.
///
/// Adding it again returns the same favourite. Repeating an `Idempotency-Key` returns the same response, even if the
/// favourite has been removed since.
#[utoipa::path(
    post, path = "/api/favorite", tag = "Favourites", request_body = WithKey<MarkFavorite>, params(MaybeKey),
    responses((status = 200, body = Data<Favorite>, links(("unmark" = (operation_id = "unmark_favorite", parameters(("id" = "$response.body#/data/id"), ("api_key" = "$request.body#/api_key")))))), (status = 404, body = Failure, description = "the team, school or sport doesn't exist"), AccountFailures, KeyConflict)
)]
pub(crate) async fn mark_favorite(
    State(state): State<AppState>,
    headers: HeaderMap,
    Keyed { caller, body, fingerprint }: Keyed<UncheckedFavorite>,
) -> ApiResult<Response> {
    let user = caller.user(&state).await?;
    let of = CallIdentity { user_id: user.id, call: "favorite", fingerprint };
    let marking = async |claim| {
        let kind = body.favoritable_type.as_str().and_then(kind_of).ok_or_else(wrong_type)?;
        if !exists(&caller.channel, kind, body.favoritable_id) {
            return Err(ApiError::NotFound);
        }
        let new = NewFavorite {
            user_id: user.id,
            kind,
            favoritable_id: body.favoritable_id,
            context: state.change_context(&caller),
            at: state.clock.now_ms(),
        };
        match state.store.add_favorite(new, FAVORITES_MAX, claim).await? {
            AddFavoriteResult::Marked(favorite) => Ok(favorite),
            AddFavoriteResult::TooMany => {
                Err(ApiError::rule(ErrorCode::TooManyFavorites, messages::TOO_MANY_FAVORITES))
            }
        }
    };
    once(&state, &headers, of, marking).await
}

/// Removes a favourite.
#[utoipa::path(
    delete, path = "/api/favorite/{id}", tag = "Favourites",
    params(("id" = i64, Path, description = "ID of the favourite.", example = 1), ApiKeyQuery),
    responses((status = 200, body = Data<Done>), (status = 404, body = Failure, description = "the favourite doesn't exist or belongs to another viewer"), AccountFailures)
)]
pub(crate) async fn unmark_favorite(
    State(state): State<AppState>,
    PathId(id): PathId,
    caller: Caller,
) -> ApiResult<Json<Data<Done>>> {
    let user = caller.user(&state).await?;
    if !state.store.remove_favorite(user.id, id, state.change_context(&caller)).await? {
        return Err(ApiError::NotFound);
    }
    Ok(Json(Data::of(DONE)))
}

fn kind_of(word: &str) -> Option<FavoritableType> {
    Some(match word {
        "participant" => FavoritableType::Participant,
        "group" | "participant_group" => FavoritableType::Group,
        "category" | "event_category" => FavoritableType::Category,
        _ => return None,
    })
}

fn wrong_type() -> ApiError {
    let message = messages::one_of("favoritable_type", &["participant", "group", "category"]);
    ApiError::field("favoritable_type", ErrorCode::Validation, message)
}

fn exists(channel: &ChannelSnapshot, kind: FavoritableType, id: i64) -> bool {
    match kind {
        FavoritableType::Participant => channel.participants.iter().any(|team| team.id == id),
        FavoritableType::Group => channel.groups.iter().any(|group| group.id == id),
        FavoritableType::Category => channel.categories.contains(id),
    }
}
