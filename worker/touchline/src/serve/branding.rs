//! Branding and pages of the channels, for the site.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use parking_lot::Mutex;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::Value;
use touchline_channel::catalogue::{ChannelSnapshot, Channels};
use touchline_channel::clips;
use touchline_channel::routes::catalogue::visitor::{self, FirstCall};
use touchline_protocol::ambient::SharedClock;
use touchline_protocol::sync::{Scope, StatusKind};
use touchline_store::{ClipRecord, Store};

use super::upstream_pages::UpstreamPages;
use crate::site::{Branding, BrandingSource, Shared, Subject, Visitor, subject_of};

/// The largest drawing embedded in a page, in bytes, and the limit for all of them.
const DRAWING_BYTES: u64 = 1024;
const DRAWINGS_BYTES: u64 = 16 * 1024;
/// Characters escaped in a data URL.
const IN_DATA: &AsciiSet = &CONTROLS.add(b'#').add(b'%').add(b'"').add(b'<').add(b'>');

pub(crate) struct ChannelBranding {
    channels: Arc<Channels>,
    store: Arc<dyn Store>,
    /// The upstream, if the API is elsewhere.
    upstream: Option<UpstreamPages>,
    /// By channel key, with the generation of the channel.
    cache: Mutex<HashMap<String, (u64, Arc<Branding>)>>,
    clock: SharedClock,
    /// By channel key.
    announced: Mutex<HashMap<String, AnnouncedEvents>>,
}

/// The caching time of a negative result, in seconds, because reading the statuses is expensive.
const STATUS_TTL_S: i64 = 10;

/// Ids of the events in a channel's status log.
#[derive(Clone)]
struct AnnouncedEvents {
    /// The channel's generation.
    generation: u64,
    /// Unix seconds.
    read_at: i64,
    ids: Arc<HashSet<i64>>,
}

impl ChannelBranding {
    pub(crate) fn new(
        channels: Arc<Channels>,
        store: Arc<dyn Store>,
        upstream: Option<UpstreamPages>,
        clock: SharedClock,
    ) -> Self {
        Self { channels, store, upstream, cache: Mutex::default(), clock, announced: Mutex::default() }
    }

    pub(crate) fn all(&self) -> Vec<Arc<Branding>> {
        self.channels.all().iter().map(|channel| self.branding(channel)).collect()
    }

    /// The small crests, schools first. An unreadable one is fetched like any picture.
    fn drawings(&self, channel: &ChannelSnapshot) -> BTreeMap<String, String> {
        if self.upstream.is_some() {
            return BTreeMap::new();
        }
        let crests = channel.groups.iter().map(|group| &group.images);
        let crests = crests.chain(channel.participants.iter().map(|team| &team.images));
        let (mut drawings, mut room) = (BTreeMap::new(), DRAWINGS_BYTES);
        let base = format!("/media/{}/", channel.key());
        for url in crests.filter_map(|images| images.first()).filter(|url| url.ends_with(".svg")) {
            let Some(path) = url.strip_prefix(&base) else { continue };
            let file = channel.files.files.get(&format!("media/{path}"));
            let Some(file) = file.filter(|file| file.len <= DRAWING_BYTES && file.len <= room) else { continue };
            if drawings.contains_key(url) {
                continue;
            }
            if let Ok(text) =
                self.channels.source().read(&file.path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            {
                room -= file.len;
                drawings.insert(url.clone(), format!("data:image/svg+xml,{}", utf8_percent_encode(&text, IN_DATA)));
            }
        }
        drawings
    }

    fn branding(&self, channel: &ChannelSnapshot) -> Arc<Branding> {
        let switched_off = self.upstream.as_ref().map(|pages| pages.upstream().switched_off()).unwrap_or_default();
        let mut cache = self.cache.lock();
        let is_current = |(generation, cache): &&(u64, Arc<Branding>)| {
            *generation == channel.generation && cache.switched_off == switched_off
        };
        if let Some((_, branding)) = cache.get(channel.key()).filter(is_current) {
            return Arc::clone(branding);
        }
        let branding = Arc::new(Branding {
            key: channel.key().to_owned(),
            settings: channel.settings.clone(),
            colors: channel.colors.clone(),
            media_hosts: channel.config.media_hosts.clone(),
            screenshots: channel.config.screenshots.clone(),
            pages: channel.pages.iter().map(|page| page.url.clone()).collect(),
            switched_off,
            drawings: self.drawings(channel),
        });
        cache.insert(channel.key().to_owned(), (channel.generation, Arc::clone(&branding)));
        branding
    }
}

#[async_trait]
impl BrandingSource for ChannelBranding {
    fn of_host(&self, host: &str) -> Option<Arc<Branding>> {
        self.channels.by_host(host).map(|channel| self.branding(&channel))
    }

    fn key_of_host(&self, host: &str) -> Option<String> {
        self.channels.by_host(host).map(|channel| channel.key().to_owned())
    }

    fn is_down(&self, host: &str) -> bool {
        self.channels.is_down(host)
    }

    fn channel_of(&self, host: &str, visitor: &Visitor) -> Option<(Arc<ChannelSnapshot>, i64)> {
        let channel = match &self.upstream {
            Some(pages) => pages.channel_of(host, visitor),
            None => self.channels.by_host(host),
        }?;
        Some((channel, self.clock.now_s()))
    }

    fn channel_of_key(&self, key: &str) -> Option<Arc<ChannelSnapshot>> {
        self.channels.by_key(key)
    }

    fn answers(&self, channel: &ChannelSnapshot, country: Option<&str>, now_s: i64, path: &str) -> Option<Value> {
        // An upstream's responses have fields unknown here.
        if self.upstream.is_some() {
            return None;
        }
        let mut calls = vec![FirstCall::Bootstrap, FirstCall::Participants];
        calls.extend(first_calls(path)?);
        Some(visitor::answers(channel, country, now_s, &calls))
    }

    async fn lacks(&self, channel: &ChannelSnapshot, subject: Subject<'_>, visitor: &Visitor) -> bool {
        match &self.upstream {
            Some(pages) => pages.lacks(channel, subject, visitor).await,
            None => true,
        }
    }

    async fn shared_clip(&self, channel: &ChannelSnapshot, id: i64, uuid: &str, visitor: &Visitor) -> Shared {
        if let Some(pages) = &self.upstream {
            return pages.shared_clip(channel, id, uuid, visitor).await;
        }
        match clips::shared(&*self.store, channel.key(), id, uuid).await {
            Ok(Some(ClipRecord { clip, .. })) => {
                Shared::Clip { name: clip.name, event_id: clip.event_id, vod_id: clip.vod_id }
            }
            Ok(None) => Shared::Missing,
            Err(error) => {
                tracing::warn!(%error, "a shared clip could not be looked up");
                Shared::Unknown
            }
        }
    }

    async fn has_clip(&self, channel: &ChannelSnapshot, id: i64) -> Option<bool> {
        // An upstream's clips are private to its viewers.
        if self.upstream.is_some() {
            return None;
        }
        match self.store.clip(id).await {
            Ok(found) => Some(found.is_some_and(|record| record.channel_key == channel.key())),
            Err(error) => {
                tracing::warn!(%error, "a clip could not be looked up");
                None
            }
        }
    }

    async fn file_of_another_build(&self, path: &str) -> Option<(Vec<u8>, bool)> {
        let file = match self.store.site_file(path).await {
            Ok(file) => file?,
            Err(error) => {
                tracing::warn!(%error, "cannot read a file from another build");
                return None;
            }
        };
        Some((STANDARD.decode(file.body).ok()?, file.is_brotli))
    }

    async fn had_event(&self, channel: &ChannelSnapshot, id: i64) -> bool {
        let now_s = self.clock.now_s();
        let announced = self.announced.lock().get(channel.key()).cloned();
        if let Some(announced) = announced.filter(|announced| announced.generation == channel.generation) {
            let has = announced.ids.contains(&id);
            // An unknown event may have been announced since.
            if has || now_s - announced.read_at < STATUS_TTL_S {
                return has;
            }
        }
        let ids: HashSet<i64> = match self.store.status_snapshot(&Scope::Channel(channel.key().to_owned())).await {
            Ok((_, items)) => items.iter().filter(|item| item.kind == StatusKind::Event).map(|item| item.id).collect(),
            Err(error) => {
                tracing::warn!(%error, "past events could not be looked up");
                return false;
            }
        };
        let is_announced = ids.contains(&id);
        let announced = AnnouncedEvents { generation: channel.generation, read_at: now_s, ids: Arc::new(ids) };
        self.announced.lock().insert(channel.key().to_owned(), announced);
        is_announced
    }
}

/// The calls of a page beyond those of every page; `None` if it is not a landing page.
fn first_calls(path: &str) -> Option<Vec<FirstCall>> {
    let mut segments = path.split('/').filter(|segment| !segment.is_empty());
    match (segments.next(), subject_of(path)) {
        (None, _) => Some(vec![FirstCall::HomeRails]),
        (Some("watch"), Some(Subject::Event(id))) => Some(vec![FirstCall::Event(id)]),
        (Some("vod_library"), _) if segments.next().is_none() => {
            Some(vec![FirstCall::VideoRails, FirstCall::VideoCategories])
        }
        (
            Some("upcoming" | "schedule" | "live" | "vod" | "vod_library" | "packages" | "passes" | "select-package"),
            _,
        ) => Some(Vec::new()),
        _ => None,
    }
}
