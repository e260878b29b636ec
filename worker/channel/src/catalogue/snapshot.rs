//! An immutable, validated channel.

use std::collections::HashMap;
use std::sync::Arc;

use touchline_domain::categories::Categories;
use touchline_domain::coupons::CouponRule;
use touchline_domain::entitlements::EventTerms;
use touchline_domain::prices::{Assortment, Offer, offer};
use touchline_protocol::catalogue::{
    AccessType, ColorSettings, ContentPage, EventLocation, EventScore, Faq, Menu, Package, Participant,
    ParticipantGroup, ParticipantGroupProperty, PictureFacts, Popup, Settings, Slide, Subscription, VodMediaCategory,
};
use touchline_protocol::money::{charge_step, in_units, is_chargeable, minimum_charge};
use touchline_protocol::purchases::OrderType;
use url::Url;

use super::records::{ChannelConfig, EventRecord, FormRecord, RailRecord, VodRecord};
use super::search::SearchIndex;
use crate::media::MediaIndex;
use crate::source::SourceFile;

/// A loaded channel: all references are valid, all ids unique, and all named files exist.
#[derive(Debug, Clone)]
pub struct ChannelSnapshot {
    /// Identity and rules of the channel.
    pub config: ChannelConfig,
    /// Response of `GET /settings`.
    pub settings: Settings,
    /// Response of `GET /color-settings/web`.
    pub colors: ColorSettings,
    /// Response of `GET /menu`.
    pub menu: Menu,
    /// The pages with their content.
    pub pages: Vec<ContentPage>,
    /// All slides, of every type.
    pub slides: Vec<Slide>,
    /// The category tree.
    pub categories: Categories,
    /// The locations.
    pub locations: Vec<EventLocation>,
    /// The schools.
    pub groups: Vec<ParticipantGroup>,
    pub(crate) group_properties: Vec<ParticipantGroupProperty>,
    /// The teams.
    pub participants: Vec<Participant>,
    /// Questions and answers.
    pub faq: Vec<Faq>,
    /// Forms, sorted by alias.
    pub(crate) forms: Vec<FormRecord>,
    /// The popups.
    pub popups: Vec<Popup>,
    /// Packages by weight, as a visitor sees them.
    pub packages: Vec<Package>,
    /// Faults of packages that are not sold, since they can never open anything.
    pub(crate) hidden_products: Vec<String>,
    /// Subscriptions by weight.
    pub subscriptions: Vec<Subscription>,
    /// Events by start.
    pub events: Vec<EventRecord>,
    /// The library's categories.
    pub vod_categories: Vec<VodMediaCategory>,
    /// The library's videos, newest first.
    pub vod: Vec<VodRecord>,
    /// The library's rails.
    pub rails: Vec<RailRecord>,
    /// Files of `media/` and `storage/settings/`.
    pub files: MediaIndex,
    /// Unique among the loads of this worker; part of the key of cached responses.
    pub generation: u64,
    /// The search index. A load rebuilds it; copies of the snapshot share it.
    pub(crate) search: Arc<SearchIndex>,
    /// Facts about photographs, by address.
    pub(crate) pictures: Arc<PictureFactsByAddress>,
    pub(crate) index: SnapshotIndex,
}

/// Facts about photographs, by address: `/media/northfield/posters/hall.jpg`.
pub(crate) type PictureFactsByAddress = HashMap<String, PictureFacts>;

/// Lookup tables for requests, computed once.
#[derive(Debug, Clone, Default)]
pub(crate) struct SnapshotIndex {
    pub(crate) events: HashMap<i64, usize>,
    pub(crate) participants: HashMap<i64, usize>,
    pub(crate) locations: HashMap<i64, usize>,
    pub(crate) vod: HashMap<i64, usize>,
    /// Times of all status changes, sorted.
    pub(crate) status_changes: Vec<i64>,
    /// Whether any event has its own geo rules.
    pub(crate) has_local_rules: bool,
}

impl SnapshotIndex {
    /// Builds the tables. Lists must be sorted.
    pub(crate) fn of(
        events: &[EventRecord],
        participants: &[Participant],
        locations: &[EventLocation],
        vod: &[VodRecord],
    ) -> Self {
        fn positions<T>(items: &[T], id: impl Fn(&T) -> i64) -> HashMap<i64, usize> {
            items.iter().enumerate().map(|(position, item)| (id(item), position)).collect()
        }
        let mut status_changes: Vec<_> = events.iter().flat_map(|event| [event.starts_at, event.ends_at()]).collect();
        status_changes.sort_unstable();
        Self {
            events: positions(events, |event| event.id),
            participants: positions(participants, |team| team.id),
            locations: positions(locations, |location| location.id),
            vod: positions(vod, |item| item.id),
            status_changes,
            has_local_rules: events.iter().any(|event| event.geo.is_restricting()),
        }
    }
}

impl ChannelSnapshot {
    /// The site's address without a path: the channel's own, or the worker's with the channel's first host.
    pub(crate) fn site_url(&self, worker: &Url) -> Url {
        let channel_url = self.config.public_url.as_deref().and_then(|url| Url::parse(url).ok());
        let mut url = channel_url.clone().unwrap_or_else(|| worker.clone());
        if let (None, false, Some(host)) = (channel_url, self.config.fallback, self.config.hosts.first()) {
            // An invalid host leaves the worker's own.
            let _ = url.set_host(Some(host));
        }
        url.set_path("/");
        url.set_query(None);
        url
    }

    /// Whether a package includes an event by its category, or as the single event that names it. Other events that
    /// are free or only sold individually are excluded (`EVENT-8`). A team pass includes events by their teams instead.
    pub(crate) fn opens(&self, package: &Package, event: &EventRecord) -> bool {
        if package.is_single_event() {
            return event.single_event_package_id == Some(package.id);
        }
        let covers = |&category: &i64| self.categories.covers(category, event.event_category_id);
        event.access_type == AccessType::Paid && package.event_categories.iter().any(covers)
    }

    /// The event of a package that sells a single one.
    pub(crate) fn single_event(&self, package: &Package) -> Option<&EventRecord> {
        self.events.iter().find(|event| package.is_single_event() && self.opens(package, event))
    }

    /// The channel's key.
    pub fn key(&self) -> &str {
        &self.config.key
    }

    /// Inherits versions from the previous load. Changed records get the current time.
    pub(crate) fn follow(&mut self, before: &Self, now_s: i64) {
        let has_changed = self.settings.currency != before.settings.currency;
        for event in &mut self.events {
            if let Some(before) = before.event(event.id) {
                event.inherit_version(before, has_changed, now_s);
            }
        }
    }

    /// Applies the operator's scores, by event.
    pub(crate) fn apply_scores(&mut self, scores: &HashMap<i64, EventScore>) {
        for event in &mut self.events {
            event.operator_score = scores.get(&event.id).cloned();
        }
    }

    /// Applies facts about photographs. The channel does not count as changed.
    pub(crate) fn apply_pictures(&mut self, pictures: &Arc<PictureFactsByAddress>) {
        for slide in &mut self.slides {
            slide.picture = pictures.get(&slide.image).cloned();
        }
        for asset in self.vod.iter_mut().flat_map(|video| &mut video.assets) {
            asset.picture = pictures.get(&asset.path).cloned();
        }
        self.pictures = Arc::clone(pictures);
    }

    /// Facts about the photograph at an address, once it has been measured.
    pub fn picture(&self, address: &str) -> Option<&PictureFacts> {
        self.pictures.get(address)
    }

    /// Files in `media/`, each with its address.
    pub(crate) fn media_files(&self) -> impl Iterator<Item = (String, &SourceFile)> {
        self.files.files.iter().filter_map(|(path, file)| {
            let below = path.strip_prefix("media/")?;
            Some((format!("/media/{}/{below}", self.key()), file))
        })
    }

    /// Whether the channel's video is blocked in this country (upper case; `None` when unknown).
    pub fn is_geo_blocked(&self, country: Option<&str>) -> bool {
        self.config.geo.blocks(country)
    }

    /// Whether the viewer's country affects the content.
    pub fn depends_on_country(&self) -> bool {
        self.config.geo.is_restricting() || self.index.has_local_rules
    }

    /// Number of status changes before a time in Unix seconds. While it is constant, so is every event's status.
    pub fn status_changes_by(&self, now_s: i64) -> usize {
        self.index.status_changes.partition_point(|&at| at <= now_s)
    }

    /// The event with this id.
    pub fn event(&self, id: i64) -> Option<&EventRecord> {
        self.index.events.get(&id).map(|&position| &self.events[position])
    }

    /// The team with this id.
    pub fn participant(&self, id: i64) -> Option<&Participant> {
        self.index.participants.get(&id).map(|&position| &self.participants[position])
    }

    /// The location with this id.
    pub fn location(&self, id: i64) -> Option<&EventLocation> {
        self.index.locations.get(&id).map(|&position| &self.locations[position])
    }

    /// The video with this id.
    pub fn video(&self, id: i64) -> Option<&VodRecord> {
        self.index.vod.get(&id).map(|&position| &self.vod[position])
    }

    /// The school with this id.
    pub fn group(&self, id: i64) -> Option<&ParticipantGroup> {
        self.groups.iter().find(|group| group.id == id)
    }

    /// The package with this id.
    pub fn package(&self, id: i64) -> Option<&Package> {
        self.packages.iter().find(|package| package.id == id)
    }

    /// The subscription with this id.
    pub fn subscription(&self, id: i64) -> Option<&Subscription> {
        self.subscriptions.iter().find(|subscription| subscription.id == id)
    }

    /// The page with this id, with its content.
    pub fn page(&self, id: i64) -> Option<&ContentPage> {
        self.pages.iter().find(|page| page.id == id)
    }
}

/// Products that open nothing, and content that nothing opens (`PKG-6`).
impl ChannelSnapshot {
    /// Hidden products, and a note if nothing sells some of the paid events.
    pub fn unsellable(&self) -> impl Iterator<Item = String> {
        let hidden = self.hidden_products.iter().map(|fault| format!("not sold: {fault}"));
        let mut unsold = self.events.iter().filter(|event| self.is_unsold(event));
        let note = unsold.next().map(|first| match unsold.count() {
            0 => format!(
                "the paid event \"{}\" cannot be bought individually or with a pass or subscription",
                first.name
            ),
            more => format!(
                "the paid event \"{}\" and {more} more cannot be bought individually or with a pass or subscription",
                first.name
            ),
        });
        hidden.chain(note)
    }

    fn is_unsold(&self, event: &EventRecord) -> bool {
        let has_team = |pass: &Package| {
            pass.is_team_pass && event.participants.iter().any(|team| pass.participants.contains(&team.id))
        };
        event.access_type == AccessType::Paid
            && event.single_event_package_id.is_none()
            && self.subscriptions.is_empty()
            && !self.packages.iter().any(|package| self.opens(package, event) || has_team(package))
    }
}

/// Amounts that a card can be charged (`PAY-17`).
impl ChannelSnapshot {
    /// Prices and promo codes of the folder that result in an amount no card can be charged.
    pub fn unchargeable(&self) -> Vec<String> {
        let currency = &self.settings.currency;
        let (minimum, step) = (in_units(minimum_charge(currency), currency, '.'), charge_step(currency));
        let prices = self.offers().filter_map(|offer| {
            let (name, amount) = (&offer.name, offer.base_price + offer.service_fee);
            if offer.base_price % step != 0 || offer.service_fee % step != 0 {
                return Some(format!(
                    "the price or fee of \"{name}\" is not a multiple of {step}, as {currency} requires"
                ));
            }
            let amount = (!is_chargeable(amount, currency)).then(|| in_units(amount, currency, '.'))?;
            Some(format!(
                "\"{name}\" costs {amount} {currency}, but a card can be charged no less than {minimum} {currency}"
            ))
        });
        let codes = self.config.coupons.iter();
        let codes = codes.filter_map(|rule| Some(format!("the code {} {}", rule.code, self.coupon_problem(rule)?)));
        prices.chain(codes).collect()
    }

    /// Reason why a promo code is unusable: it leaves an amount that no card can be charged.
    pub(crate) fn coupon_problem(&self, rule: &CouponRule) -> Option<String> {
        let currency = &self.settings.currency;
        self.offers().filter(|offer| rule.applies_to(offer.kind, offer.id)).find_map(|offer| {
            let remainder = in_units(offer.unchargeable_remainder(currency, rule)?, currency, '.');
            let minimum = in_units(minimum_charge(currency), currency, '.');
            Some(format!(
                "leaves {remainder} {currency} of the price of \"{}\", but a card can be charged no less than {minimum} {currency}",
                offer.name
            ))
        })
    }

    fn offers(&self) -> impl Iterator<Item = Offer> {
        let events = self.events.iter().map(|event| (OrderType::Event, event.id));
        let packages = self.packages.iter().map(|package| (OrderType::Package, package.id));
        let subscriptions = self.subscriptions.iter().map(|subscription| (OrderType::Subscription, subscription.id));
        events.chain(packages).chain(subscriptions).filter_map(|(kind, id)| offer(self, kind, id))
    }
}

impl Assortment for ChannelSnapshot {
    fn event(&self, id: i64) -> Option<EventTerms<'_>> {
        Self::event(self, id).map(EventRecord::terms)
    }

    fn package(&self, id: i64) -> Option<&Package> {
        Self::package(self, id)
    }

    fn subscription(&self, id: i64) -> Option<&Subscription> {
        Self::subscription(self, id)
    }

    fn coupons(&self) -> &[CouponRule] {
        &self.config.coupons
    }

    fn currency(&self) -> &str {
        &self.settings.currency
    }
}
