//! Who may watch what (specification, sections 4 and 6). Pure rules: what a viewer has, what an event asks for.

use std::collections::HashSet;

use touchline_protocol::catalogue::{AccessType, Package};

use super::categories::Categories;
use super::records::{EventRecord, GeoRules, VodRecord};

/// What a viewer has, worked out from their orders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entitlements {
    /// Who it is; `None` for a visitor.
    pub user_id: Option<i64>,
    /// Whether an active subscription opens everything but pay-per-view.
    pub subscribed: bool,
    /// Events owned singly.
    pub events: HashSet<i64>,
    /// Categories owned through packages; they cover their descendants.
    pub categories: HashSet<i64>,
    /// Teams owned through team passes.
    pub participants: HashSet<i64>,
    /// What the account may do, lower case: `watch`, `download`, `clipping`, `download_clip`, `no_ads`, `vod_media`.
    pub capabilities: HashSet<String>,
    /// Whether the viewer as such is shut out by the channel's geo rules.
    pub geo_blocked: bool,
    /// Where the viewer is, upper case; `None` when unknown. Events may have geo rules of their own.
    pub country: Option<String>,
}

impl Entitlements {
    /// Whether the account may do this.
    pub fn can(&self, capability: &str) -> bool {
        self.capabilities.contains(capability)
    }

    /// Whether what this viewer is shown depends on anything bought.
    pub fn owns_nothing(&self) -> bool {
        !self.subscribed && self.events.is_empty() && self.categories.is_empty() && self.participants.is_empty()
    }

    fn is_shut_out(&self, geo: &GeoRules) -> bool {
        self.geo_blocked || geo.blocks(self.country.as_deref())
    }
}

/// Whether this viewer may watch this event.
pub fn event_access(viewer: &Entitlements, event: &EventRecord, categories: &Categories) -> bool {
    if viewer.is_shut_out(&event.geo) {
        return false;
    }
    if event.access_type == AccessType::Free {
        return true;
    }
    if viewer.user_id.is_none() || !viewer.can("watch") {
        return false;
    }
    match event.access_type {
        AccessType::Free | AccessType::Register => true,
        AccessType::Ppv => viewer.events.contains(&event.id),
        AccessType::Paid => {
            viewer.events.contains(&event.id)
                || viewer.subscribed
                || categories.line(event.event_category_id).any(|id| viewer.categories.contains(&id))
                || event.participants.iter().any(|team| viewer.participants.contains(&team.id))
        }
    }
}

/// Whether this viewer may watch this video of the library.
pub fn vod_access(viewer: &Entitlements, video: &VodRecord) -> bool {
    if viewer.geo_blocked {
        return false;
    }
    match video.access_type {
        AccessType::Free => true,
        AccessType::Register => viewer.user_id.is_some() && viewer.can("vod_media"),
        AccessType::Paid | AccessType::Ppv => viewer.user_id.is_some() && viewer.can("vod_media") && viewer.subscribed,
    }
}

/// The package's categories that the viewer owns already (`PKG-2`).
pub fn disabled_categories(viewer: &Entitlements, package: &Package, categories: &Categories) -> Vec<i64> {
    let owned = |id: &i64| categories.line(*id).any(|above| viewer.categories.contains(&above));
    package.event_categories.iter().copied().filter(owned).collect()
}

/// The teams of a team pass that the viewer owns already (`PKG-2`).
pub fn disabled_participants(viewer: &Entitlements, package: &Package) -> Vec<i64> {
    package.participants.iter().copied().filter(|id| viewer.participants.contains(id)).collect()
}

/// Whether nothing of the package is left to buy (`PKG-2`).
pub fn is_purchased(viewer: &Entitlements, package: &Package, categories: &Categories) -> bool {
    if package.is_team_pass {
        !package.participants.is_empty() && disabled_participants(viewer, package).len() == package.participants.len()
    } else {
        !package.event_categories.is_empty()
            && disabled_categories(viewer, package, categories).len() == package.event_categories.len()
    }
}
