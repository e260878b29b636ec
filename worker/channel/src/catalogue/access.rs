//! Who may watch what (EVENT-8, ORDER-4, USER-4). Pure rules: what a viewer has, what an event asks for.

use std::collections::HashSet;

use touchline_protocol::catalogue::{AccessType, Package};

use super::categories::Categories;
use super::records::{EventRecord, VodRecord};

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

    /// Whether the event is closed to where the viewer is, whatever they own (`GEO-1`).
    pub fn is_event_blocked(&self, event: &EventRecord) -> bool {
        self.geo_blocked || event.geo.blocks(self.country.as_deref())
    }
}

/// Whether this viewer may watch this event.
pub fn event_access(viewer: &Entitlements, event: &EventRecord, categories: &Categories) -> bool {
    if viewer.is_event_blocked(event) {
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

#[cfg(test)]
mod tests {
    use touchline_protocol::catalogue::{EventCategory, EventType, Participant};

    use super::super::records::{GeoRules, MediaKind, MediaPlace, MediaRecord};
    use super::*;

    const EVENT: i64 = 1;
    const CATEGORY: i64 = 11;
    const ABOVE: i64 = 10;
    const TEAM: i64 = 101;

    fn categories() -> Categories {
        let node = |id, children| EventCategory {
            id,
            name: String::new(),
            alias: String::new(),
            sport: String::new(),
            children,
        };
        Categories::new(vec![node(ABOVE, vec![node(CATEGORY, vec![]), node(12, vec![])])])
    }

    fn event(access_type: AccessType) -> EventRecord {
        let team = Participant {
            id: TEAM,
            name: String::new(),
            short_name: String::new(),
            alias: String::new(),
            images: Vec::new(),
            color: String::new(),
            second_color: None,
            group_id: None,
            properties: Default::default(),
        };
        EventRecord {
            id: EVENT,
            name: String::new(),
            kind: EventType::Paid,
            access_type,
            starts_at: 0,
            time_zone: String::new(),
            duration_s: 60,
            event_category_id: CATEGORY,
            location_id: 1,
            home_team_id: None,
            base_price: 0,
            service_fee: 0,
            single_event_package_id: None,
            description: String::new(),
            participants: vec![team],
            media: Vec::new(),
            geo: GeoRules::default(),
            changed_at: 0,
        }
    }

    fn video(access_type: AccessType) -> VodRecord {
        VodRecord {
            id: 1,
            title: String::new(),
            date: String::new(),
            description: String::new(),
            category_id: None,
            access_type,
            duration_s: 0.0,
            figure: String::new(),
            color: String::new(),
            assets: Vec::new(),
            media: MediaRecord { id: 1, kind: MediaKind::Vod, place: MediaPlace::File(String::new()), duration_s: 0.0 },
        }
    }

    fn person() -> Entitlements {
        let capabilities = HashSet::from(["watch".to_owned(), "vod_media".to_owned()]);
        Entitlements { user_id: Some(7), capabilities, ..Entitlements::default() }
    }

    fn with(change: impl FnOnce(&mut Entitlements)) -> Entitlements {
        let mut viewer = person();
        change(&mut viewer);
        viewer
    }

    #[test]
    fn each_access_type_opens_to_those_it_is_for_and_to_no_one_else() {
        use AccessType::{Free, Paid, Ppv, Register};
        let visitor = Entitlements::default();
        let viewers = [
            // free, register, paid, ppv
            ("a visitor", visitor, [true, false, false, false]),
            ("a visitor with every right", with(|v| v.user_id = None), [true, false, false, false]),
            ("a person", person(), [true, true, false, false]),
            ("an owner of the event", with(|v| v.events.extend([EVENT])), [true, true, true, true]),
            ("an owner of another event", with(|v| v.events.extend([2])), [true, true, false, false]),
            ("a subscriber", with(|v| v.subscribed = true), [true, true, true, false]),
            ("an owner of the category", with(|v| v.categories.extend([CATEGORY])), [true, true, true, false]),
            ("an owner of one above", with(|v| v.categories.extend([ABOVE])), [true, true, true, false]),
            ("an owner of one beside", with(|v| v.categories.extend([12])), [true, true, false, false]),
            ("an owner of the team's pass", with(|v| v.participants.extend([TEAM])), [true, true, true, false]),
            ("an owner of another's", with(|v| v.participants.extend([102])), [true, true, false, false]),
        ];
        for (name, viewer, expected) in viewers {
            let opens = [Free, Register, Paid, Ppv].map(|kind| event_access(&viewer, &event(kind), &categories()));
            assert_eq!(opens, expected, "{name}");
        }
    }

    #[test]
    fn without_the_right_to_watch_only_free_events_open() {
        let viewer = with(|v| {
            v.capabilities.remove("watch");
            v.subscribed = true;
            v.events.insert(EVENT);
        });
        for kind in [AccessType::Register, AccessType::Paid, AccessType::Ppv] {
            assert!(!event_access(&viewer, &event(kind), &categories()), "{kind:?}");
        }
        assert!(event_access(&viewer, &event(AccessType::Free), &categories()));
    }

    #[test]
    fn a_closed_region_opens_nothing_whoever_asks() {
        let owner = |country: Option<&str>| {
            with(|v| {
                v.events.insert(EVENT);
                v.subscribed = true;
                v.country = country.map(str::to_owned);
            })
        };
        for kind in [AccessType::Free, AccessType::Register, AccessType::Paid, AccessType::Ppv] {
            let mut shut_out = owner(None);
            shut_out.geo_blocked = true;
            assert!(!event_access(&shut_out, &event(kind), &categories()), "{kind:?}");
            assert!(!vod_access(&shut_out, &video(AccessType::Free)));
            let mut local = event(kind);
            local.geo = GeoRules { allow: ["US".to_owned()].into(), deny: Default::default(), deny_unknown: true };
            let opens = [Some("US"), Some("CA"), None].map(|place| event_access(&owner(place), &local, &categories()));
            assert_eq!(opens, [true, false, false], "{kind:?}");
        }
    }

    #[test]
    fn geo_rules_deny_first_then_allow_and_ask_nothing_when_there_are_none() {
        let rules = |allow: &[&str], deny: &[&str], deny_unknown| GeoRules {
            allow: allow.iter().map(|&code| code.to_owned()).collect(),
            deny: deny.iter().map(|&code| code.to_owned()).collect(),
            deny_unknown,
        };
        for (rules, country, blocks) in [
            (rules(&[], &[], true), None, false),
            (rules(&[], &["KP"], false), Some("KP"), true),
            (rules(&[], &["KP"], false), Some("US"), false),
            (rules(&["US"], &[], false), Some("CA"), true),
            (rules(&["US"], &["US"], false), Some("US"), true),
            (rules(&["US"], &[], false), None, false),
            (rules(&["US"], &[], true), None, true),
        ] {
            assert_eq!(rules.blocks(country), blocks, "{rules:?} {country:?}");
        }
    }

    #[test]
    fn the_library_opens_by_account_right_and_subscription() {
        use AccessType::{Free, Paid, Register};
        for (name, viewer, expected) in [
            ("a visitor", Entitlements::default(), [true, false, false]),
            ("a visitor with every right", with(|v| v.user_id = None), [true, false, false]),
            ("a person", person(), [true, true, false]),
            ("a subscriber", with(|v| v.subscribed = true), [true, true, true]),
            (
                "a subscriber without the right",
                with(|v| {
                    v.subscribed = true;
                    v.capabilities.remove("vod_media");
                }),
                [true, false, false],
            ),
        ] {
            assert_eq!([Free, Register, Paid].map(|kind| vod_access(&viewer, &video(kind))), expected, "{name}");
        }
    }

    #[test]
    fn a_package_is_purchased_when_what_is_owned_covers_all_of_it_and_a_team_pass_when_all_teams_are() {
        let mut package: Package = serde_json::from_value(serde_json::json!({
            "id": 1, "name": "", "price": 0, "base_price": 0, "service_fee": 0, "currency": "USD", "type": "pass",
            "is_team_pass": false, "event_categories": [CATEGORY, 12], "participants": [TEAM, 102], "weight": 0
        }))
        .unwrap();
        let one = with(|v| v.categories.extend([CATEGORY]));
        assert_eq!(disabled_categories(&one, &package, &categories()), [CATEGORY]);
        assert!(!is_purchased(&one, &package, &categories()));
        assert!(is_purchased(&with(|v| v.categories.extend([ABOVE])), &package, &categories()));

        package.is_team_pass = true;
        let one = with(|v| v.participants.extend([TEAM]));
        assert_eq!(disabled_participants(&one, &package), [TEAM]);
        assert!(!is_purchased(&one, &package, &categories()));
        assert!(is_purchased(&with(|v| v.participants.extend([TEAM, 102])), &package, &categories()));
        package.participants.clear();
        assert!(!is_purchased(&one, &package, &categories()));
    }
}
