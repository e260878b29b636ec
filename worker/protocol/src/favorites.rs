//! Favourite teams, schools and sports.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Body of `POST /favorite`. The type is checked by the rules, not by the schema: a wrong one has a message of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MarkFavorite {
    /// The id of the participant, group or category.
    #[schema(example = 101)]
    pub favoritable_id: i64,
    /// `participant` (team), `group` or `participant_group` (school), `category` or `event_category` (sport).
    #[schema(example = "participant")]
    pub favoritable_type: String,
}

/// What kind of thing is a favourite.
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

/// One favourite of the viewer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Favorite {
    /// Its id, for `DELETE /favorite/{id}`.
    #[schema(example = 1)]
    pub id: i64,
    /// The id of what is marked.
    #[schema(example = 101)]
    pub favoritable_id: i64,
    /// What kind of thing is marked.
    pub favoritable_type: FavoritableType,
}
