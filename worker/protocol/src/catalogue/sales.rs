//! What is sold besides single events.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A package: many events for one price.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Package {
    /// Its id.
    #[schema(example = 1)]
    pub id: i64,
    /// Its name.
    #[schema(example = "Kestrels winter pass")]
    pub name: String,
    /// What it costs in all, minor units: `base_price` and `service_fee`.
    #[schema(example = 9550)]
    pub price: i64,
    /// Minor units.
    #[schema(example = 8900)]
    pub base_price: i64,
    /// Minor units.
    #[schema(example = 650)]
    pub service_fee: i64,
    /// ISO 4217.
    #[schema(example = "USD")]
    pub currency: String,
    /// `package`, `pass` (sold as a season or team pass) or `single_event`.
    #[serde(rename = "type")]
    #[schema(example = "pass")]
    pub kind: String,
    /// Whether it is for one team, to be chosen.
    #[schema(example = false)]
    pub is_team_pass: bool,
    /// The categories it covers, with everything below them.
    #[schema(example = json!([10, 20]))]
    pub event_categories: Vec<i64>,
    /// The teams that can be chosen, of a team pass.
    #[serde(default)]
    #[schema(example = json!([]))]
    pub participants: Vec<i64>,
    /// Lower stands first.
    #[schema(example = 1)]
    pub weight: i64,
    /// What it offers, e.g. `season`.
    #[serde(default)]
    #[schema(example = "season")]
    pub offer: String,
    /// How long it lasts, e.g. `season`, `month`, `day`.
    #[serde(default)]
    #[schema(example = "season")]
    pub period: String,
    /// How long it lasts, days; 0 for ever.
    #[serde(default)]
    #[schema(example = 150)]
    pub period_days: i64,
    /// A sentence.
    #[serde(default)]
    #[schema(example = "Every basketball and hockey event of the winter, live and on demand.")]
    pub description: String,
    /// Categories that the asking viewer already has: the package is purchased when they cover all of its own.
    #[serde(default)]
    #[schema(example = json!([10]))]
    pub disabled_categories: Vec<i64>,
    /// Teams that the asking viewer already has a pass for: a team pass is purchased when they are all of its own.
    #[serde(default)]
    #[schema(example = json!([]))]
    pub disabled_participants: Vec<i64>,
}

/// What a package opens of what is live or to come while it lasts, for whoever buys it now (`PKG-4`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PackageContent {
    /// The package.
    #[schema(example = 2)]
    pub package_id: i64,
    /// The team that is chosen, of a team pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 108)]
    pub participant_id: Option<i64>,
    /// How many events that are paid for.
    #[schema(example = 14)]
    pub events: i64,
    /// What those of them cost in all that are sold singly too, with their fees, minor units.
    #[schema(example = 12026)]
    pub singly: i64,
}

/// A subscription that can be bought.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Subscription {
    /// Its id.
    #[schema(example = 1)]
    pub id: i64,
    /// Its name.
    #[schema(example = "Monthly subscription")]
    pub name: String,
    /// What one period costs in all, minor units.
    #[schema(example = 1299)]
    pub price: i64,
    /// Minor units.
    #[schema(example = 1199)]
    pub base_price: i64,
    /// Minor units.
    #[schema(example = 100)]
    pub service_fee: i64,
    /// ISO 4217.
    #[schema(example = "USD")]
    pub currency: String,
    /// `annual` or `monthly`.
    #[schema(example = "monthly")]
    pub offer: String,
    /// `annual`, `month` or `monthly`.
    #[schema(example = "monthly")]
    pub period: String,
    /// Free days before the first payment; 0 for none.
    #[schema(example = 7)]
    pub trial_period: i64,
    /// Lower stands first.
    #[schema(example = 1)]
    pub weight: i64,
    /// A sentence.
    #[serde(default)]
    #[schema(example = "All sports and the whole library. 7 days free, then every 30 days.")]
    pub description: String,
}
