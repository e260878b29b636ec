//! `packages.json` and `subscriptions.json`: products other than single events.

use touchline_protocol::catalogue::{Package, Subscription};

use super::folder::{Folder, Ids, ItemList};
use crate::catalogue::fault::Fault;
use crate::catalogue::records::EventRecord;

/// A package and its path in the file, such as `[3]`.
type PackageAt = (String, Package);

/// Longest period of a product, in days: a century.
const MAX_DAYS: i64 = 36_525;

pub(super) fn packages(
    folder: &Folder<'_>,
    currency: &str,
    categories: &Ids,
    participants: &Ids,
) -> ItemList<PackageAt> {
    folder.list("packages.json", false, |fields| {
        let (id, name) = (fields.id("id"), fields.line("name"));
        let (base_price, service_fee) = (fields.money("base_price"), fields.money("service_fee"));
        let kinds = [("package", "package"), ("pass", "pass"), ("single_event", "single_event")];
        let kind = fields.one_of("type", &kinds);
        let is_team_pass = fields.flag("is_team_pass");
        let event_categories = fields.references("event_categories", categories);
        let participants = fields.references("participants", participants);
        match (is_team_pass, participants.is_empty(), event_categories.is_empty()) {
            (true, true, _) if !fields.has("participants") => {
                fields.fault("participants", "must list the teams to choose from, since this is a team pass");
            }
            (false, false, _) => fields.fault("participants", "is only for team passes"),
            (false, _, true) if kind != Some("single_event") && !fields.has("event_categories") => {
                fields.fault("event_categories", "must list what the package covers");
            }
            _ => {}
        }
        let weight = fields.maybe_integer("weight", -1_000_000..=1_000_000).unwrap_or(0);
        let (offer, period) = (fields.line_or_empty("offer"), fields.line_or_empty("period"));
        let period_days = fields.maybe_integer("period_days", 0..=MAX_DAYS).unwrap_or(0);
        let description = fields.text_or_empty("description");
        let package = Package {
            id: id?,
            name: name?,
            price: base_price? + service_fee?,
            base_price: base_price?,
            service_fee: service_fee?,
            currency: currency.to_owned(),
            kind: kind?.to_owned(),
            is_team_pass,
            event_categories,
            participants,
            weight,
            offer,
            period,
            period_days,
            description,
            disabled_categories: Vec::new(),
            disabled_participants: Vec::new(),
        };
        Some((fields.path.clone(), package))
    })
}

/// Packages on sale, by weight, and the faults of those that can never open anything (`PKG-6`).
pub(super) fn on_sale(
    folder: &Folder<'_>,
    listed: Vec<PackageAt>,
    events: &ItemList<EventRecord>,
) -> (Vec<Package>, Vec<Fault>) {
    // A faulty event may be the one that names a package.
    let are_events_whole = !events.ids.is_partial && events.items.len() == events.ids.existing.len();
    let (mut packages, mut faults) = (Vec::new(), Vec::new());
    for (path, package) in listed {
        let is_named = || events.items.iter().any(|event| event.single_event_package_id == Some(package.id));
        let fault = if package.is_single_event() {
            if package.is_team_pass || !package.event_categories.is_empty() {
                Some(("type", "is `single_event`, which has no categories or teams: its event names the package"))
            } else {
                let problem = "is `single_event`, but no event has this id as its `single_event_package_id`";
                (are_events_whole && !is_named()).then_some(("type", problem))
            }
        } else if package.is_team_pass {
            let problem = "must not be empty: without a team, the pass opens nothing";
            package.participants.is_empty().then_some(("participants", problem))
        } else {
            let problem = "must not be empty: without a category, the package opens nothing";
            package.event_categories.is_empty().then_some(("event_categories", problem))
        };
        match fault {
            Some((field, problem)) => faults.push(Fault {
                file: folder.full("packages.json"),
                field: format!("{path}.{field}"),
                problem: problem.to_owned(),
            }),
            None => packages.push(package),
        }
    }
    packages.sort_by_key(|package| (package.weight, package.id));
    (packages, faults)
}

pub(super) fn subscriptions(folder: &Folder<'_>, currency: &str) -> ItemList<Subscription> {
    let mut listed = folder.list("subscriptions.json", false, |fields| {
        let (id, name) = (fields.id("id"), fields.line("name"));
        let (base_price, service_fee) = (fields.money("base_price"), fields.money("service_fee"));
        let offer = fields.one_of("offer", &[("annual", "annual"), ("monthly", "monthly")]);
        let periods = [("annual", "annual"), ("month", "month"), ("monthly", "monthly")];
        let period = fields.one_of("period", &periods);
        if let (Some(offer), Some(period)) = (offer, period)
            && (offer == "annual") != (period == "annual")
        {
            fields.fault("period", format!("does not match the offer `{offer}`"));
        }
        let trial_period = fields.maybe_integer("trial_period", 0..=365).unwrap_or(0);
        let weight = fields.maybe_integer("weight", -1_000_000..=1_000_000).unwrap_or(0);
        let description = fields.text_or_empty("description");
        Some(Subscription {
            id: id?,
            name: name?,
            price: base_price? + service_fee?,
            base_price: base_price?,
            service_fee: service_fee?,
            currency: currency.to_owned(),
            offer: offer?.to_owned(),
            period: period?.to_owned(),
            trial_period,
            weight,
            description,
        })
    });
    listed.items.sort_by_key(|subscription| (subscription.weight, subscription.id));
    listed
}
