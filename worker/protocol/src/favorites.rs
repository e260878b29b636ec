//! Favourite teams, schools and sports.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Request body of `POST /favorite`. The type is a plain string, because an invalid one has its own error message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MarkFavorite {
    /// ID of the participant, group or category.
    #[schema(example = 101)]
    pub favoritable_id: i64,
    /// `participant` (team), `group` or `participant_group` (school), `category` or `event_category` (sport).
    #[schema(example = "participant")]
    pub favoritable_type: String,
}

/// The type of a favourite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FavoritableType {
    /// A team.
    Participant,
    /// A school.
    Group,
    /// A sport.
    Category,
}

/// A favourite of the viewer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Favorite {
    /// Unique identifier, for `DELETE /favorite/{id}`.
    #[schema(example = 1)]
    pub id: i64,
    /// ID of the participant, group or category.
    #[schema(example = 101)]
    pub favoritable_id: i64,
    /// Type of the favourite.
    pub favoritable_type: FavoritableType,
}
