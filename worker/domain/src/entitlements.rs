//! Entitlements: the content that a viewer may watch (`EVENT-8`, `ORDER-4`, `USER-4`).

use std::collections::HashSet;

use touchline_protocol::catalogue::{AccessType, Package, Participant};
use touchline_protocol::purchases::{OrderType, Product};

use crate::accounts::User;
use crate::categories::Categories;
use crate::regions::GeoRules;

/// Access rules and prices of an event.
#[derive(Debug, Clone, Copy)]
pub struct EventTerms<'a> {
    /// The event's id.
    pub id: i64,
    /// The event's name.
    pub name: &'a str,
    /// Access required to watch the event.
    pub access_type: AccessType,
    /// The event's category.
    pub event_category_id: i64,
    /// The event's teams.
    pub participants: &'a [Participant],
    /// Geo rules of the event, in addition to the channel's.
    pub geo: &'a GeoRules,
    /// Base price, in minor units.
    pub base_price: i64,
    /// Service fee, in minor units.
    pub service_fee: i64,
    /// Package id for buying the event individually; `None` if it is not sold individually.
    pub single_event_package_id: Option<i64>,
}

/// An active purchase.
#[derive(Debug, Clone, Copy)]
pub struct ActivePurchase<'a> {
    /// Kind of product.
    pub kind: OrderType,
    /// The product.
    pub product: &'a Product,
    /// Categories covered by the purchase.
    pub event_categories: &'a [i64],
}

/// A viewer's entitlements, derived from their orders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entitlements {
    /// The viewer's id; `None` for a visitor.
    pub user_id: Option<i64>,
    /// Whether an active subscription opens everything except pay-per-view.
    pub subscribed: bool,
    /// Events bought individually.
    pub events: HashSet<i64>,
    /// Categories owned through packages, including their descendants.
    pub categories: HashSet<i64>,
    /// Teams owned through team passes.
    pub participants: HashSet<i64>,
    /// Capabilities of the account, lower case: `watch`, `download`, `clipping`, `download_clip`, `no_ads`,
    /// `vod_media`.
    pub capabilities: HashSet<String>,
    /// Whether the channel's geo rules block the viewer.
    pub geo_blocked: bool,
    /// The viewer's country, upper case; `None` when unknown. Events may have their own geo rules.
    pub country: Option<String>,
}

impl Entitlements {
    /// Adds a user's capabilities and purchases. A user who is blocked or must change their password has no more than a
    /// visitor.
    #[must_use]
    pub fn with<'a>(mut self, user: &User, owned: impl IntoIterator<Item = ActivePurchase<'a>>) -> Self {
        if user.blocked || user.temporary_password {
            return self;
        }
        self.user_id = Some(user.id);
        self.capabilities = user.capabilities.iter().map(|capability| capability.to_lowercase()).collect();
        for ActivePurchase { kind, product, event_categories } in owned {
            match (kind, product.participant_id) {
                (OrderType::Event, _) => drop(self.events.insert(product.id)),
                (OrderType::Subscription, _) => self.subscribed = true,
                (OrderType::Package, Some(team)) => drop(self.participants.insert(team)),
                (OrderType::Package, None) => self.categories.extend(event_categories),
            }
        }
        self
    }

    /// Returns whether the account has this capability.
    pub fn can(&self, capability: &str) -> bool {
        self.capabilities.contains(capability)
    }

    /// Returns whether nothing shown to this viewer depends on a purchase.
    pub fn owns_nothing(&self) -> bool {
        !self.subscribed && self.events.is_empty() && self.categories.is_empty() && self.participants.is_empty()
    }

    /// Returns whether geo rules block an event for this viewer, regardless of purchases (`GEO-1`).
    pub fn is_event_blocked(&self, geo: &GeoRules) -> bool {
        self.geo_blocked || geo.blocks(self.country.as_deref())
    }
}

/// Returns whether this viewer may watch this event.
pub fn event_access(viewer: &Entitlements, event: &EventTerms<'_>, categories: &Categories) -> bool {
    if viewer.is_event_blocked(event.geo) {
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

/// Returns whether this viewer may watch a library video with this access type. It is never [`AccessType::Ppv`], since
/// videos are not sold individually.
pub fn vod_access(viewer: &Entitlements, access_type: AccessType) -> bool {
    if viewer.geo_blocked {
        return false;
    }
    match access_type {
        AccessType::Free => true,
        AccessType::Register => viewer.user_id.is_some() && viewer.can("vod_media"),
        AccessType::Paid | AccessType::Ppv => viewer.user_id.is_some() && viewer.can("vod_media") && viewer.subscribed,
    }
}

/// Returns the package's categories that the viewer already owns (`PKG-2`).
pub fn disabled_categories(viewer: &Entitlements, package: &Package, categories: &Categories) -> Vec<i64> {
    let owned = |id: &i64| categories.line(*id).any(|above| viewer.categories.contains(&above));
    package.event_categories.iter().copied().filter(owned).collect()
}

/// Returns the teams of a team pass that the viewer already owns (`PKG-2`).
pub fn disabled_participants(viewer: &Entitlements, package: &Package) -> Vec<i64> {
    package.participants.iter().copied().filter(|id| viewer.participants.contains(id)).collect()
}

/// Returns whether the viewer already owns everything in the package (`PKG-2`).
pub(crate) fn is_purchased(viewer: &Entitlements, package: &Package, categories: &Categories) -> bool {
    if package.is_team_pass {
        !package.participants.is_empty() && disabled_participants(viewer, package).len() == package.participants.len()
    } else {
        !package.event_categories.is_empty()
            && disabled_categories(viewer, package, categories).len() == package.event_categories.len()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use touchline_protocol::catalogue::EventCategory;

    use super::*;

    const EVENT: i64 = 1;
    const CATEGORY: i64 = 11;
    const ABOVE: i64 = 10;
    const TEAM: i64 = 101;

    pub(crate) fn categories() -> Categories {
        let node = |id, children| EventCategory {
            id,
            name: String::new(),
            alias: String::new(),
            sport: String::new(),
            children,
        };
        Categories::new(vec![node(ABOVE, vec![node(CATEGORY, vec![]), node(12, vec![])])])
    }

    pub(crate) struct TestEvent {
        access_type: AccessType,
        team: Vec<Participant>,
        geo: GeoRules,
    }

    impl TestEvent {
        pub(crate) fn terms(&self) -> EventTerms<'_> {
            EventTerms {
                id: EVENT,
                name: "",
                access_type: self.access_type,
                event_category_id: CATEGORY,
                participants: &self.team,
                geo: &self.geo,
                base_price: 0,
                service_fee: 0,
                single_event_package_id: None,
            }
        }
    }

    impl TestEvent {
        pub(crate) fn close_to(&mut self, country: &str) {
            self.geo.deny.insert(country.to_owned());
        }
    }

    pub(crate) fn event(access_type: AccessType) -> TestEvent {
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
        TestEvent { access_type, team: vec![team], geo: GeoRules::default() }
    }

    pub(crate) fn person() -> Entitlements {
        let capabilities = HashSet::from(["watch".to_owned(), "vod_media".to_owned()]);
        Entitlements { user_id: Some(7), capabilities, ..Entitlements::default() }
    }

    pub(crate) fn with(change: impl FnOnce(&mut Entitlements)) -> Entitlements {
        let mut viewer = person();
        change(&mut viewer);
        viewer
    }

    #[test]
    fn each_access_type_admits_only_entitled_viewers() {
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
            let opens =
                [Free, Register, Paid, Ppv].map(|kind| event_access(&viewer, &event(kind).terms(), &categories()));
            assert_eq!(opens, expected, "{name}");
        }
    }

    #[test]
    fn without_the_watch_capability_only_free_events_are_open() {
        let viewer = with(|v| {
            v.capabilities.remove("watch");
            v.subscribed = true;
            v.events.insert(EVENT);
        });
        for kind in [AccessType::Register, AccessType::Paid, AccessType::Ppv] {
            assert!(!event_access(&viewer, &event(kind).terms(), &categories()), "{kind:?}");
        }
        assert!(event_access(&viewer, &event(AccessType::Free).terms(), &categories()));
    }

    #[test]
    fn a_blocked_region_has_no_access_regardless_of_purchases() {
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
            assert!(!event_access(&shut_out, &event(kind).terms(), &categories()), "{kind:?}");
            assert!(!vod_access(&shut_out, AccessType::Free));
            let mut local = event(kind);
            local.geo = GeoRules { allow: ["US".to_owned()].into(), deny: Default::default(), deny_unknown: true };
            let opens =
                [Some("US"), Some("CA"), None].map(|place| event_access(&owner(place), &local.terms(), &categories()));
            assert_eq!(opens, [true, false, false], "{kind:?}");
        }
    }

    #[test]
    fn the_library_needs_an_account_the_capability_and_a_subscription() {
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
            assert_eq!([Free, Register, Paid].map(|kind| vod_access(&viewer, kind)), expected, "{name}");
        }
    }

    #[test]
    fn a_package_is_purchased_once_all_its_categories_or_teams_are_owned() {
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

    fn user() -> User {
        User {
            id: 7,
            channel_key: "meadow".to_owned(),
            email: "ada@example.com".to_owned(),
            email_verified: true,
            first_name: "Ada".to_owned(),
            last_name: "Lovelace".to_owned(),
            phone: String::new(),
            password_hash: None,
            temporary_password: false,
            trial_period_used: false,
            blocked: false,
            capabilities: vec!["Watch".to_owned()],
            clips: 0,
            downloads: 0,
            created_at: 0,
        }
    }

    #[test]
    fn purchases_grant_their_entitlements() {
        let product = |id, participant_id| Product { id, name: String::new(), event_category_id: None, participant_id };
        let (event, pass, package, plan) =
            (product(EVENT, None), product(3, Some(TEAM)), product(4, None), product(5, None));
        let owned = |kind, product| ActivePurchase { kind, product, event_categories: &[CATEGORY] };
        let has = |owned: &[ActivePurchase<'_>]| Entitlements::default().with(&user(), owned.iter().copied());
        let none = has(&[]);
        assert!(none.owns_nothing() && none.user_id == Some(7) && none.can("watch"));
        assert_eq!(has(&[owned(OrderType::Event, &event)]).events, HashSet::from([EVENT]));
        assert!(has(&[owned(OrderType::Subscription, &plan)]).subscribed);
        let team = has(&[owned(OrderType::Package, &pass)]);
        assert_eq!((team.participants.len(), team.categories.len()), (1, 0), "a team pass only covers its team");
        let categories = has(&[owned(OrderType::Package, &package)]);
        assert_eq!((categories.participants.len(), categories.categories), (0, HashSet::from([CATEGORY])));
    }

    #[test]
    fn blocked_users_and_temporary_passwords_have_a_visitors_access() {
        let visitor = Entitlements { country: Some("US".to_owned()), ..Entitlements::default() };
        let plan = Product { id: 5, name: String::new(), event_category_id: None, participant_id: None };
        let owned = [ActivePurchase { kind: OrderType::Subscription, product: &plan, event_categories: &[] }];
        for user in [User { blocked: true, ..user() }, User { temporary_password: true, ..user() }] {
            assert_eq!(visitor.clone().with(&user, owned), visitor);
        }
    }
}
