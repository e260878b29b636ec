//! Favourite teams, schools and sports.

use async_trait::async_trait;
use touchline_protocol::favorites::{FavoritableType, Favorite};

use super::{IdempotencyClaim, StoreResult};

/// What marking a favourite gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MarkedFavorite {
    /// The favourite: a new one, or the one that was there.
    Marked(Favorite),
    /// The person has as many as the limit allows.
    TooMany,
}

/// Marking, listing and unmarking favourites.
#[async_trait]
pub trait Favorites {
    /// Marks a favourite, with its answer when it was claimed; marking it again gives the same one.
    async fn mark_favorite(
        &self,
        user_id: i64,
        kind: FavoritableType,
        favoritable_id: i64,
        limit: i64,
        at: i64,
        claim: Option<IdempotencyClaim>,
    ) -> StoreResult<MarkedFavorite>;
    /// The favourites of a person, in the order in which they were marked.
    async fn favorites(&self, user_id: i64) -> StoreResult<Vec<Favorite>>;
    /// Unmarks a favourite of this person; whether there was one.
    async fn unmark_favorite(&self, user_id: i64, id: i64) -> StoreResult<bool>;
}
