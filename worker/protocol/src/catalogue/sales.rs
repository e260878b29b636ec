//! Packages and subscriptions for sale.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A package: several events for one price.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Package {
    /// Unique identifier.
    #[schema(example = 1)]
    pub id: i64,
    /// Name.
    #[schema(example = "Kestrels winter pass")]
    pub name: String,
    /// Total price in minor units: `base_price` plus `service_fee`.
    #[schema(example = 9550)]
    pub price: i64,
    /// Price without the service fee, in minor units.
    #[schema(example = 8900)]
    pub base_price: i64,
    /// Service fee, in minor units.
    #[schema(example = 650)]
    pub service_fee: i64,
    /// ISO 4217 currency code.
    #[schema(example = "USD")]
    pub currency: String,
    /// `package`, `pass` (sold as a season or team pass) or `single_event`.
    #[serde(rename = "type")]
    #[schema(example = "pass")]
    pub kind: String,
    /// Whether the buyer chooses a team that the package applies to.
    #[schema(example = false)]
    pub is_team_pass: bool,
    /// IDs of the categories that the package covers, including their subcategories.
    #[schema(example = json!([10, 20]))]
    pub event_categories: Vec<i64>,
    /// For a team pass, IDs of the teams to choose from.
    #[serde(default)]
    #[schema(example = json!([]))]
    pub participants: Vec<i64>,
    /// Sort order. Lower values come first.
    #[schema(example = 1)]
    pub weight: i64,
    /// Name of the offer, such as `season`.
    #[serde(default)]
    #[schema(example = "season")]
    pub offer: String,
    /// Duration as text, such as `season`, `month` or `day`.
    #[serde(default)]
    #[schema(example = "season")]
    pub period: String,
    /// Duration in days. 0 if unlimited.
    #[serde(default)]
    #[schema(example = 150)]
    pub period_days: i64,
    /// Description, one sentence.
    #[serde(default)]
    #[schema(example = "Every basketball and hockey event of the winter, live and on demand.")]
    pub description: String,
    /// IDs of the categories that the viewer already has. The package counts as purchased if they include all of its
    /// categories.
    #[serde(default)]
    #[schema(example = json!([10]))]
    pub disabled_categories: Vec<i64>,
    /// IDs of the teams that the viewer already has a pass for. A team pass counts as purchased if they include all of
    /// its teams.
    #[serde(default)]
    #[schema(example = json!([]))]
    pub disabled_participants: Vec<i64>,
}

impl Package {
    /// Whether the package sells the one event that names it as its `single_event_package_id`.
    pub fn is_single_event(&self) -> bool {
        self.kind == "single_event"
    }
}

/// The live and upcoming events covered by a package if it is bought now (`PKG-4`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PackageContent {
    /// ID of the package.
    #[schema(example = 2)]
    pub package_id: i64,
    /// For a team pass, the ID of the chosen team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 108)]
    pub participant_id: Option<i64>,
    /// Number of paid events.
    #[schema(example = 14)]
    pub events: i64,
    /// Total price of those paid events that are also sold individually, in minor units, including fees.
    #[schema(example = 12026)]
    pub singly: i64,
}

/// A subscription for sale.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Subscription {
    /// Unique identifier.
    #[schema(example = 1)]
    pub id: i64,
    /// Name.
    #[schema(example = "Monthly subscription")]
    pub name: String,
    /// Total price of one period, in minor units.
    #[schema(example = 1299)]
    pub price: i64,
    /// Price without the service fee, in minor units.
    #[schema(example = 1199)]
    pub base_price: i64,
    /// Service fee, in minor units.
    #[schema(example = 100)]
    pub service_fee: i64,
    /// ISO 4217 currency code.
    #[schema(example = "USD")]
    pub currency: String,
    /// `annual` or `monthly`.
    #[schema(example = "monthly")]
    pub offer: String,
    /// `annual`, `month` or `monthly`.
    #[schema(example = "monthly")]
    pub period: String,
    /// Length of the free trial in days. 0 if there is none.
    #[schema(example = 7)]
    pub trial_period: i64,
    /// Sort order. Lower values come first.
    #[schema(example = 1)]
    pub weight: i64,
    /// Description, one sentence.
    #[serde(default)]
    #[schema(example = "All sports and the whole library. 7 days free, then every 30 days.")]
    pub description: String,
}
