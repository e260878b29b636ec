//! Loads channels from files: reads every file, checks every reference, and reports every fault with its file and
//! field.
//!
//! Each module reads related files: [`config`] the channel's identity, [`people`] teams and locations, [`sales`]
//! products, [`events`] and [`library`] with their [`media`] and [`addresses`], [`site`] the pages' content.

mod addresses;
mod config;
mod events;
mod folder;
mod formats;
mod library;
mod media;
mod people;
mod sales;
mod screenshots;
mod search;
mod site;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use touchline_protocol::catalogue::Settings;

use super::fault::{Faults, Findings};
use super::snapshot::{ChannelSnapshot, SnapshotIndex};
use crate::media::MediaIndex;
use crate::source::{ChannelSource, SourceFile};
pub(super) use folder::Claims;
use folder::Folder;

pub(crate) use config::CAPABILITIES;
pub(crate) use events::{PERIOD_MAX, SCORE_MAX};
pub(crate) use folder::LIMITS as FILE_LIMITS;
pub(crate) use folder::fields::LIMITS as FIELD_LIMITS;
pub(crate) use formats::is_image;

/// The fault of a root without channels.
pub(super) const NO_CHANNEL: &str = "has no channel: a channel is a folder with a channel.json";

/// Settings of the worker that a load depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadOptions {
    /// Reference time for `starts_in_s`, `starts_on` and `days_ago`, in Unix seconds; stored at the first start.
    pub anchor_s: i64,
    /// Whether the sandbox takes payments.
    pub sandbox_payments: bool,
    /// Stripe's publishable key, if Stripe takes payments.
    pub stripe_publishable_key: Option<String>,
    /// Replacement for the URL of Stripe's script in browsers.
    pub stripe_script_url: Option<String>,
    /// The site key of reCAPTCHA, if it is on.
    pub recaptcha_site_key: Option<String>,
    /// Social login providers that the worker is configured for. A channel can offer no others.
    pub social_providers: Vec<String>,
    /// Whether media may be on private networks, and use plain HTTP there.
    pub private_media: bool,
    /// Whether a product that can never open anything is a fault. Otherwise it is hidden, since earlier releases
    /// accepted it (`PKG-6`).
    pub refuses_unsellable: bool,
}

impl LoadOptions {
    fn apply(&self, settings: &mut Settings) {
        settings.sandbox_payments = self.sandbox_payments;
        settings.stripe_publishable_key.clone_from(&self.stripe_publishable_key);
        settings.stripe_script_url.clone_from(&self.stripe_script_url);
        settings.recaptcha_site_key.clone_from(&self.recaptcha_site_key);
        settings.auth.providers.retain(|provider| self.social_providers.contains(provider));
    }
}

/// Advice about a channel for its operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelAdvice {
    /// The channel's key.
    pub key: String,
    /// The site's address.
    pub public_url: Option<String>,
    /// Whether its emails come from an address of its own.
    pub has_sender: bool,
    /// Whether analytics are recorded.
    pub analytics: bool,
    /// Prices and promo codes that result in an amount no card can be charged.
    pub unchargeable: Vec<String>,
    /// Products that are hidden because they can never open anything, and paid events that nothing sells.
    pub unsellable: Vec<String>,
}

impl ChannelAdvice {
    /// Derives the advice from a channel.
    pub fn of(channel: &ChannelSnapshot) -> Self {
        Self {
            key: channel.config.key.clone(),
            public_url: channel.config.public_url.clone(),
            has_sender: channel.config.mail.from.is_some(),
            analytics: channel.settings.yare_analytics.is_some(),
            unchargeable: channel.unchargeable(),
            unsellable: channel.unsellable().collect(),
        }
    }
}

/// Checks every channel folder of a source for `touchline check` and returns advice about each. `private_media` is as
/// in [`LoadOptions`].
///
/// # Errors
/// Fails when a source cannot be listed, and otherwise with every fault of every file.
pub fn check(source: &dyn ChannelSource, private_media: bool) -> Result<Vec<ChannelAdvice>, super::ChannelsError> {
    let options = LoadOptions { private_media, refuses_unsellable: true, ..LoadOptions::default() };
    let snapshots = snapshots(source, &options)?;
    let findings = Findings::default();
    for channel in &snapshots {
        let streams = channel.files.mounts.values().filter_map(|mount| mount.feed.files());
        for (file, problem) in streams.flat_map(|stream| stream.faults_for_players()) {
            findings.add(&format!("{}/{file}", channel.key()), "", problem);
        }
    }
    findings.into_result()?;
    Ok(snapshots.iter().map(ChannelAdvice::of).collect())
}

/// Loads every channel of a source once.
///
/// # Errors
/// Fails as [`check`] does.
pub fn snapshots(
    source: &dyn ChannelSource,
    options: &LoadOptions,
) -> Result<Vec<ChannelSnapshot>, super::ChannelsError> {
    load(source, options)
}

/// A channel folder that was read.
pub(super) struct FolderReading {
    /// The channel, or every fault of its files.
    pub(super) result: Result<ChannelSnapshot, Faults>,
    /// Hosts that the channel claims, also if it is faulty; `None` if its `channel.json` cannot be read.
    pub(super) claims: Option<Claims>,
}

/// Reads the channel folder `key`. `files` are its files, with their paths from the root.
pub(super) fn folder(
    source: &dyn ChannelSource,
    key: &str,
    files: &[SourceFile],
    options: &LoadOptions,
    generation: u64,
) -> FolderReading {
    let prefix = format!("{key}/");
    let files = files.iter().filter_map(|file| Some((file.path.strip_prefix(&prefix)?, file))).collect();
    let findings = Findings::default();
    let folder = Folder::new(key, source, &findings, files, options.private_media);
    let snapshot = channel(&folder, options, generation);
    let claims = folder.claims.take();
    drop(folder);
    let result = match (findings.into_result(), snapshot) {
        (Ok(()), Some(snapshot)) => Ok(snapshot),
        (Err(faults), _) => Err(faults),
        // Every missing part is reported as a fault.
        (Ok(()), None) => Err(Faults::of_folder(key, "cannot be read")),
    };
    FolderReading { result, claims }
}

/// Loads every channel folder, sorted by name.
fn load(source: &dyn ChannelSource, options: &LoadOptions) -> Result<Vec<ChannelSnapshot>, super::ChannelsError> {
    let mut folders: BTreeMap<String, Vec<SourceFile>> = BTreeMap::new();
    for file in source.files()? {
        if let Some((key, _)) = file.path.split_once('/') {
            folders.entry(key.to_owned()).or_default().push(file);
        }
    }
    let findings = Findings::default();
    if folders.is_empty() {
        findings.add("", "", NO_CHANNEL);
    }
    let (mut snapshots, mut claims) = (Vec::new(), Vec::new());
    for ((key, files), generation) in folders.iter().zip(0..) {
        let reading = folder(source, key, files, options, generation);
        match reading.result {
            Ok(snapshot) => snapshots.push(snapshot),
            Err(faults) => findings.extend(faults.0),
        }
        claims.push((key.as_str(), reading.claims.unwrap_or_default()));
    }
    check_hosts(&claims, &findings);
    findings.into_result()?;
    Ok(snapshots)
}

/// Reads one folder. Every part is read even after faults, so that all faults are reported.
fn channel(folder: &Folder<'_>, options: &LoadOptions, generation: u64) -> Option<ChannelSnapshot> {
    check_names(folder);
    let locations = people::locations(folder);
    let categories = people::categories(folder);
    let groups = people::groups(folder);
    let participants = people::participants(folder, &groups.ids);
    let settings = config::settings(folder);
    let currency = settings.as_ref().map_or("USD", |settings| &settings.currency);
    let packages = sales::packages(folder, currency, &categories.ids, &participants.ids);
    let subscriptions = sales::subscriptions(folder, currency);
    let region = config::read_region(folder);
    let context = events::EventContext {
        locations: &locations.ids,
        categories: &categories.ids,
        participants: &participants,
        anchor_s: options.anchor_s,
        region,
        live: media::LiveRules::read_defaults(folder),
    };
    let events = events::events(folder, &context);
    let (sold_packages, hidden) = sales::on_sale(folder, packages.items, &events);
    if options.refuses_unsellable {
        folder.findings.extend(hidden.iter().cloned());
    }
    let products = config::Products { events: &events.ids, packages: &packages.ids, subscriptions: &subscriptions.ids };
    let library = library::library(folder, options.anchor_s, region.is_open);
    let videos = library.as_ref().map_or(&[][..], |library| &library.items);
    let config = config::channel(folder, &products, &addresses::media_of(&events.items, videos));
    let targets = site::Targets {
        categories: &categories.ids,
        participants: &participants.ids,
        groups: &groups.ids,
        events: &events.ids,
    };
    let slides = site::slides(folder, &targets);
    let prerolls = config::prerolls(folder, &locations.ids, &categories.ids);
    let pages = site::pages(folder);
    let faq = site::faq(folder);
    let seller = settings.as_ref().and_then(|settings| settings.seller.as_ref());
    let contact = seller.map(|seller| seller.contact.as_str());
    let forms = site::forms(folder, contact);
    let popups = site::popups(folder);
    site::check_player_settings(folder);
    let links = site::menu(folder);
    let group_properties = people::group_properties(folder);
    let colors = config::colors(folder);

    let (config, mut settings, colors, library) = (config?, settings?, colors?, library?);
    settings.prerolls = prerolls.items;
    options.apply(&mut settings);
    let menu = site::whole_menu(links, &groups.items, &participants.items);
    let served = |path: &str| path.starts_with("media/") || path.starts_with("storage/settings/");
    let files = folder.files.iter().filter(|(path, _)| served(path));
    let files = files.map(|(path, file)| ((*path).to_owned(), (*file).clone())).collect();
    let files = MediaIndex { files, mounts: folder.mounts.take(), ingests: folder.ingests.take() };
    let index = SnapshotIndex::of(&events.items, &participants.items, &locations.items, &library.items);
    let mut snapshot = ChannelSnapshot {
        config,
        settings,
        colors,
        menu,
        pages,
        slides,
        categories: touchline_domain::categories::Categories::new(categories.items),
        locations: locations.items,
        groups: groups.items,
        group_properties,
        participants: participants.items,
        faq,
        forms,
        popups,
        packages: sold_packages,
        hidden_products: hidden.iter().map(ToString::to_string).collect(),
        subscriptions: subscriptions.items,
        events: events.items,
        vod_categories: library.categories,
        vod: library.items,
        rails: library.rails,
        files,
        generation,
        search: Arc::default(),
        pictures: Arc::default(),
        index,
    };
    snapshot.search = Arc::new(search::index(&snapshot));
    Some(snapshot)
}

/// Reports names that would have to be escaped in a URL, and unused files, which are probably mistakes.
fn check_names(folder: &Folder<'_>) {
    const READ: [&str; 20] = [
        "categories.json",
        "channel.json",
        "colors.json",
        "events.json",
        "faq.json",
        "forms.json",
        "group-properties.json",
        "groups.json",
        "locations.json",
        "menu.json",
        "packages.json",
        "pages.json",
        "participants.json",
        "popups.json",
        "prerolls.json",
        "settings.json",
        "slides.json",
        "subscriptions.json",
        "vod.json",
        "README.md",
    ];
    for path in folder.files.keys() {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte);
        if !path.bytes().all(is_plain) {
            folder.fault(path, "", "has a name with characters other than letters, digits, `.`, `_` and `-`");
        } else if path.starts_with("media/s/") {
            folder.fault(path, "", "is in `media/s`, which is reserved for streams");
        } else if !path.contains('/') && !READ.contains(path) {
            folder.fault(path, "", "is not a file of a channel");
        } else if path.starts_with("storage/") && *path != site::PLAYER_SETTINGS {
            folder.fault(path, "", format!("is an unused settings file: only `{}` is read", site::PLAYER_SETTINGS));
        }
    }
}

/// Checks that a host belongs to one channel, and that at most one channel is the fallback.
fn check_hosts(claims: &[(&str, Claims)], findings: &Findings) {
    let mut owner: HashMap<&str, &str> = HashMap::new();
    let mut fallback: Option<&str> = None;
    for (key, claims) in claims {
        let others = |host: &str| owner.get(host).copied();
        findings.extend(claims.conflicts(key, others, fallback));
        owner.extend(claims.hosts.iter().map(|host| (host.as_str(), *key)));
        if claims.fallback {
            fallback = Some(key);
        }
    }
}
