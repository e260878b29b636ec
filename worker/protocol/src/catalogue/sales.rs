//! What is sold besides single events.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A package: many events for one price.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Package {
    /// Its id.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// What it costs in all, minor units: `base_price` and `service_fee`.
    pub price: i64,
    /// Minor units.
    pub base_price: i64,
    /// Minor units.
    pub service_fee: i64,
    /// ISO 4217.
    pub currency: String,
    /// `package`, `pass` (sold as a season or team pass) or `single_event`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether it is for one team, to be chosen.
    pub is_team_pass: bool,
    /// The categories it covers, with everything below them.
    pub event_categories: Vec<i64>,
    /// The teams that can be chosen, of a team pass.
    #[serde(default)]
    pub participants: Vec<i64>,
    /// Lower stands first.
    pub weight: i64,
    /// What it offers, e.g. `season`.
    #[serde(default)]
    pub offer: String,
    /// How long it lasts, e.g. `season`, `month`, `day`.
    #[serde(default)]
    pub period: String,
    /// How long it lasts, days; 0 for ever.
    #[serde(default)]
    pub period_days: i64,
    /// A sentence.
    #[serde(default)]
    pub description: String,
    /// Categories that the asking viewer already has: the package is purchased when they cover all of its own.
    #[serde(default)]
    pub disabled_categories: Vec<i64>,
    /// Teams that the asking viewer already has a pass for: a team pass is purchased when they are all of its own.
    #[serde(default)]
    pub disabled_participants: Vec<i64>,
}

/// A subscription that can be bought.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Subscription {
    /// Its id.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// What one period costs in all, minor units.
    pub price: i64,
    /// Minor units.
    pub base_price: i64,
    /// Minor units.
    pub service_fee: i64,
    /// ISO 4217.
    pub currency: String,
    /// `annual` or `monthly`.
    pub offer: String,
    /// `annual`, `month` or `monthly`.
    pub period: String,
    /// Free days before the first payment; 0 for none.
    pub trial_period: i64,
    /// Lower stands first.
    pub weight: i64,
    /// A sentence.
    #[serde(default)]
    pub description: String,
}
