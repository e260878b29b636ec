//! Favourite teams, schools and sports.

use async_trait::async_trait;
use touchline_protocol::favorites::{FavoritableType, Favorite};

use super::{ChangeContext, IdempotencyClaim, StoreResult};

/// A favourite to add.
#[derive(Debug, Clone)]
pub struct NewFavorite {
    /// ID of the user.
    pub user_id: i64,
    /// Type of the favourite.
    pub kind: FavoritableType,
    /// ID of the team, school or sport.
    pub favoritable_id: i64,
    /// The circumstances, if analytics record them.
    pub context: Option<ChangeContext>,
    /// Time in Unix milliseconds.
    pub at: i64,
}

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
    /// Adds a favourite and records it, or returns the existing one. The response is stored with it if claimed.
    async fn add_favorite(
        &self,
        new: NewFavorite,
        limit: i64,
        claim: Option<IdempotencyClaim>,
    ) -> StoreResult<AddFavoriteResult>;
    /// Returns a user's favourites, oldest first.
    async fn favorites(&self, user_id: i64) -> StoreResult<Vec<Favorite>>;
    /// Removes a user's favourite, records it, and returns whether it existed.
    async fn remove_favorite(&self, user_id: i64, id: i64, context: Option<ChangeContext>) -> StoreResult<bool>;
}
