//! One channel as it was loaded: whole, checked, never changed.

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

/// One channel as it was loaded: every reference holds, every id is unique, every file that it names is there.
#[derive(Debug, Clone)]
pub struct ChannelSnapshot {
    /// Who the channel is and how it treats its viewers.
    pub config: ChannelConfig,
    /// As `GET /settings`.
    pub settings: Settings,
    /// As `GET /color-settings/web`.
    pub colors: ColorSettings,
    /// As `GET /menu`.
    pub menu: Menu,
    /// The pages with their content.
    pub pages: Vec<ContentPage>,
    /// All slides, of every type.
    pub slides: Vec<Slide>,
    /// The category tree.
    pub categories: Categories,
    /// The places.
    pub locations: Vec<EventLocation>,
    /// The schools.
    pub groups: Vec<ParticipantGroup>,
    /// What is said of schools.
    pub group_properties: Vec<ParticipantGroupProperty>,
    /// The teams.
    pub participants: Vec<Participant>,
    /// Questions and answers.
    pub faq: Vec<Faq>,
    /// Forms by alias.
    pub forms: Vec<FormRecord>,
    /// Popups.
    pub popups: Vec<Popup>,
    /// Packages by weight, as a visitor sees them.
    pub packages: Vec<Package>,
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
    /// The files of `media/` and `storage/settings/`.
    pub files: MediaIndex,
    /// Differs between any two loads of this worker; what is derived from a snapshot is kept under it.
    pub generation: u64,
    /// The words of its content. A load makes them anew; a copy of the snapshot shares them.
    pub(crate) search: Arc<SearchIndex>,
    /// What is known of its photographs, by address.
    pub(crate) pictures: Arc<PicturesKnown>,
    pub(crate) known: Known,
}

/// What is known of photographs, by address: `/media/northfield/posters/hall.jpg`.
pub(crate) type PicturesKnown = HashMap<String, PictureFacts>;

/// What is looked up at every request, worked out once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known {
    pub(crate) events: HashMap<i64, usize>,
    pub(crate) participants: HashMap<i64, usize>,
    pub(crate) locations: HashMap<i64, usize>,
    pub(crate) vod: HashMap<i64, usize>,
    /// Every moment at which an event's status moves, in order.
    pub(crate) moves: Vec<i64>,
    /// Whether any event has geo rules of its own.
    pub(crate) has_local_rules: bool,
}

impl Known {
    /// Notes where everything stands. Lists must have their order by now.
    pub(crate) fn of(
        events: &[EventRecord],
        participants: &[Participant],
        locations: &[EventLocation],
        vod: &[VodRecord],
    ) -> Self {
        fn places<T>(items: &[T], id: impl Fn(&T) -> i64) -> HashMap<i64, usize> {
            items.iter().enumerate().map(|(place, item)| (id(item), place)).collect()
        }
        let mut moves: Vec<_> = events.iter().flat_map(|event| [event.starts_at, event.ends_at()]).collect();
        moves.sort_unstable();
        Self {
            events: places(events, |event| event.id),
            participants: places(participants, |team| team.id),
            locations: places(locations, |place| place.id),
            vod: places(vod, |item| item.id),
            moves,
            has_local_rules: events.iter().any(|event| event.geo.is_restricting()),
        }
    }
}

impl ChannelSnapshot {
    /// The address of the channel's site, without a path: its own, or the worker's under the channel's first host.
    pub fn site_url(&self, worker: &Url) -> Url {
        let own = self.config.public_url.as_deref().and_then(|url| Url::parse(url).ok());
        let mut url = own.clone().unwrap_or_else(|| worker.clone());
        if let (None, false, Some(host)) = (own, self.config.fallback, self.config.hosts.first()) {
            // A host that is none leaves the worker's own.
            let _ = url.set_host(Some(host));
        }
        url.set_path("/");
        url.set_query(None);
        url
    }

    /// Whether a package opens an event by its category: neither what is sold singly alone nor what costs nothing
    /// (`EVENT-8`). A team pass opens events by their teams instead.
    pub(crate) fn opens(&self, package: &Package, event: &EventRecord) -> bool {
        let covers = |&category: &i64| self.categories.covers(category, event.event_category_id);
        event.access_type == AccessType::Paid && package.event_categories.iter().any(covers)
    }

    /// The channel's key.
    pub fn key(&self) -> &str {
        &self.config.key
    }

    /// Goes on from what was loaded before: what changed is of this moment.
    pub(crate) fn follow(&mut self, before: &Self, now_s: i64) {
        let has_changed = self.settings.currency != before.settings.currency;
        for event in &mut self.events {
            if let Some(before) = before.event(event.id) {
                event.since(before, has_changed, now_s);
            }
        }
    }

    /// Takes up how the operator says that events stand, by event.
    pub(crate) fn take_scores(&mut self, scores: &HashMap<i64, EventScore>) {
        for event in &mut self.events {
            event.operator_score = scores.get(&event.id).cloned();
        }
    }

    /// Takes up what is known of its photographs. Nothing of the channel has changed by it.
    pub(crate) fn take_pictures(&mut self, pictures: &Arc<PicturesKnown>) {
        for slide in &mut self.slides {
            slide.picture = pictures.get(&slide.image).cloned();
        }
        for asset in self.vod.iter_mut().flat_map(|video| &mut video.assets) {
            asset.picture = pictures.get(&asset.path).cloned();
        }
        self.pictures = Arc::clone(pictures);
    }

    /// Its files below `media/`, each with its address.
    pub(crate) fn media_files(&self) -> impl Iterator<Item = (String, &SourceFile)> {
        self.files.files.iter().filter_map(|(path, file)| {
            let below = path.strip_prefix("media/")?;
            Some((format!("/media/{}/{below}", self.key()), file))
        })
    }

    /// Whether the channel's video is closed to this country (upper case; `None` when unknown).
    pub fn is_geo_blocked(&self, country: Option<&str>) -> bool {
        self.config.geo.blocks(country)
    }

    /// Whether where a viewer is makes any difference to what they are shown.
    pub fn asks_for_country(&self) -> bool {
        self.config.geo.is_restricting() || self.known.has_local_rules
    }

    /// How many statuses have moved by then, Unix seconds: while this stays, so does every event's status.
    pub fn moves_by(&self, now_s: i64) -> usize {
        self.known.moves.partition_point(|&at| at <= now_s)
    }

    /// The event of this id.
    pub fn event(&self, id: i64) -> Option<&EventRecord> {
        self.known.events.get(&id).map(|&place| &self.events[place])
    }

    /// The event that is sold singly under this `single_event_package_id`.
    pub fn event_sold_as(&self, single_event_package_id: i64) -> Option<&EventRecord> {
        self.events.iter().find(|event| event.single_event_package_id == Some(single_event_package_id))
    }

    /// The team of this id.
    pub fn participant(&self, id: i64) -> Option<&Participant> {
        self.known.participants.get(&id).map(|&place| &self.participants[place])
    }

    /// The place of this id.
    pub fn location(&self, id: i64) -> Option<&EventLocation> {
        self.known.locations.get(&id).map(|&place| &self.locations[place])
    }

    /// The video of this id.
    pub fn video(&self, id: i64) -> Option<&VodRecord> {
        self.known.vod.get(&id).map(|&place| &self.vod[place])
    }

    /// The school of this id.
    pub fn group(&self, id: i64) -> Option<&ParticipantGroup> {
        self.groups.iter().find(|group| group.id == id)
    }

    /// The package of this id.
    pub fn package(&self, id: i64) -> Option<&Package> {
        self.packages.iter().find(|package| package.id == id)
    }

    /// The subscription of this id.
    pub fn subscription(&self, id: i64) -> Option<&Subscription> {
        self.subscriptions.iter().find(|subscription| subscription.id == id)
    }

    /// The page of this id, with its content.
    pub fn page(&self, id: i64) -> Option<&ContentPage> {
        self.pages.iter().find(|page| page.id == id)
    }
}

/// Amounts that a card can be charged (`PAY-17`).
impl ChannelSnapshot {
    /// Prices and promo codes of the folder that lead to an amount which no card can be charged.
    pub fn unchargeable(&self) -> Vec<String> {
        let currency = &self.settings.currency;
        let (minimum, step) = (in_units(minimum_charge(currency), currency, '.'), charge_step(currency));
        let prices = self.offers().filter_map(|offer| {
            let (name, amount) = (&offer.name, offer.base_price + offer.service_fee);
            if offer.base_price % step != 0 || offer.service_fee % step != 0 {
                return Some(format!("the price or fee of \"{name}\" is no multiple of {step}, as {currency} needs"));
            }
            let amount = (!is_chargeable(amount, currency)).then(|| in_units(amount, currency, '.'))?;
            Some(format!("\"{name}\" costs {amount} {currency}, and a card is charged {minimum} {currency} or more"))
        });
        let codes = self.config.coupons.iter();
        let codes = codes.filter_map(|rule| Some(format!("the code {} {}", rule.code, self.coupon_problem(rule)?)));
        prices.chain(codes).collect()
    }

    /// Why a promo code cannot be used as it is: it leaves an amount of some product that no card can be charged.
    pub fn coupon_problem(&self, rule: &CouponRule) -> Option<String> {
        let currency = &self.settings.currency;
        self.offers().filter(|offer| rule.applies_to(offer.kind, offer.id)).find_map(|offer| {
            let remainder = in_units(offer.unchargeable_remainder(currency, rule)?, currency, '.');
            let minimum = in_units(minimum_charge(currency), currency, '.');
            Some(format!(
                "leaves {remainder} {currency} of the price of \"{}\", and a card is charged {minimum} {currency} or more",
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
