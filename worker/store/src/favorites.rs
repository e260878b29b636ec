//! Favourite teams, schools and sports.

use async_trait::async_trait;
use touchline_protocol::favorites::{FavoritableType, Favorite};

use super::{IdempotencyClaim, StoreResult};

/// The result of adding a favourite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddFavoriteResult {
    /// The new or existing favourite.
    Marked(Favorite),
    /// The user has reached the limit.
    TooMany,
}

/// Storage of favourites.
#[async_trait]
pub trait Favorites {
    /// Adds a favourite, or returns the existing one. The response is stored with it if claimed.
    async fn add_favorite(
        &self,
        user_id: i64,
        kind: FavoritableType,
        favoritable_id: i64,
        limit: i64,
        at: i64,
        claim: Option<IdempotencyClaim>,
    ) -> StoreResult<AddFavoriteResult>;
    /// Returns a user's favourites, oldest first.
    async fn favorites(&self, user_id: i64) -> StoreResult<Vec<Favorite>>;
    /// Removes a user's favourite, and returns whether it existed.
    async fn remove_favorite(&self, user_id: i64, id: i64) -> StoreResult<bool>;
}
