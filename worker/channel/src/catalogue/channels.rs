//! All channels of the worker, by key and by host. Each is loaded, refused and replaced independently (`OPS-54`).
//!
//! | module | content |
//! |---|---|
//! | `states` | the state of each channel, and the rules of hosts |
//! | `loading` | loads folders, and replaces or refuses their channels |
//! | `watch` | detects changed folders |
//! | `events` | file-system events, by folder |

mod events;
mod loading;
mod states;
mod watch;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use parking_lot::{Mutex, RwLock};
use touchline_protocol::ambient::SharedClock;
use touchline_protocol::catalogue::{Event, EventScore};

use self::states::Current;
pub use self::states::HostOwners;
pub(crate) use self::watch::WATCH_INTERVAL;
use super::fault::{ChannelsError, Faults};
use super::hosts::host_name;
use super::read::{self, LoadOptions};
use super::snapshot::{ChannelSnapshot, PictureFactsByAddress};
use super::sound_states::SoundStates;
use crate::source::ChannelSource;

/// All channels of the worker.
#[derive(Debug)]
pub struct Channels {
    source: Arc<dyn ChannelSource>,
    options: LoadOptions,
    clock: SharedClock,
    loads: AtomicU64,
    states: Option<SoundStates>,
    current: RwLock<Current>,
    /// Locked while a folder is loaded: a signal and the watcher load the same ones.
    loading: Mutex<HashMap<String, Arc<Mutex<()>>>>,
    /// Data about each channel that is not in its folder. Locked while a channel is replaced.
    overlays: Mutex<HashMap<String, Overlay>>,
}

/// Data about a channel that is not in its folder. Every load applies it again.
#[derive(Debug, Clone, Default)]
struct Overlay {
    /// Scores set by the operator, by event.
    scores: HashMap<i64, EventScore>,
    pictures: Arc<PictureFactsByAddress>,
    /// Events announced before the start, until the first load applies them.
    announced: HashMap<i64, (i64, Option<Event>)>,
    /// The state of a removed channel: if its folder returns, versions continue from there.
    removed: Option<Arc<ChannelSnapshot>>,
}

impl Overlay {
    fn apply(&self, snapshot: &mut ChannelSnapshot) {
        snapshot.apply_scores(&self.scores);
        snapshot.apply_pictures(&self.pictures);
    }
}

/// A faulty channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultyChannel {
    /// The channel's key.
    pub key: String,
    /// The first fault.
    pub fault: String,
    /// Whether its last sound state is served.
    pub is_served: bool,
}

/// Opening.
impl Channels {
    /// Loads and checks every channel folder of `source`, without stored states.
    ///
    /// # Errors
    /// Fails as [`Channels::open_with`] does.
    pub fn open(
        source: Arc<dyn ChannelSource>,
        options: LoadOptions,
        clock: SharedClock,
    ) -> Result<Self, ChannelsError> {
        Self::open_with(source, options, clock, None, HostOwners::default())
    }

    /// Loads and checks every channel folder of `source`. A faulty one is served in its last sound state from `states`.
    /// A host that several claim belongs to the one in `owners`.
    ///
    /// # Errors
    /// Fails if no channel can be served: with the listing's error, or with every fault of every file.
    pub fn open_with(
        source: Arc<dyn ChannelSource>,
        options: LoadOptions,
        clock: SharedClock,
        states: Option<SoundStates>,
        owners: HostOwners,
    ) -> Result<Self, ChannelsError> {
        let states = states.filter(|_| source.can_change());
        let channels = Self {
            source,
            options,
            clock,
            loads: AtomicU64::new(0),
            states,
            current: RwLock::default(),
            loading: Mutex::default(),
            overlays: Mutex::default(),
        };
        let stored = channels.states.as_ref().map(SoundStates::keys).unwrap_or_default();
        let (keys, error) = match channels.source.folders() {
            Ok(keys) if keys.is_empty() => (stored, Some(Faults::of_folder("", read::NO_CHANNEL).into())),
            Ok(keys) => {
                let removed = stored.iter().filter(|key| !keys.contains(key));
                removed.for_each(|key| channels.remove(key));
                (keys, None)
            }
            Err(error) => (stored, Some(error.into())),
        };
        channels.open_all(&keys, owners);
        if channels.current.read().by_key.values().any(|state| state.served.is_some()) {
            if let Some(error) = error {
                tracing::error!(%error, "the last sound state of each channel is served");
            }
            return Ok(channels);
        }
        Err(error.unwrap_or_else(|| channels.all_faults().into()))
    }
}

/// Data that is not in the folders.
impl Channels {
    /// Replaces the operator's scores of a channel, by event (`SCORE-1`). An event with a different score counts as
    /// changed.
    pub(crate) fn set_scores(&self, channel_key: &str, scores: HashMap<i64, EventScore>) {
        self.set_overlay(channel_key, |overlay| {
            let has_changed = overlay.scores != scores;
            overlay.scores = scores;
            has_changed
        });
    }

    /// Replaces the facts about a channel's photographs, by address (`FAST-9`).
    pub(crate) fn set_pictures(&self, channel_key: &str, pictures: Arc<PictureFactsByAddress>) {
        self.set_overlay(channel_key, |overlay| {
            let has_changed = overlay.pictures != pictures;
            overlay.pictures = pictures;
            has_changed
        });
    }

    /// `set` returns whether it changed anything.
    fn set_overlay(&self, channel_key: &str, set: impl FnOnce(&mut Overlay) -> bool) {
        let mut overlays = self.overlays.lock();
        let overlay = overlays.entry(channel_key.to_owned()).or_default();
        if !set(overlay) {
            return;
        }
        let Some(before) = self.by_key(channel_key) else { return };
        let mut changed = ChannelSnapshot::clone(&before);
        overlay.apply(&mut changed);
        changed.follow(&before, self.clock.now_s());
        changed.generation = self.next_generation();
        self.replace(channel_key, changed);
    }

    /// Restores the last published events from before a restart, so that versions continue from there.
    pub fn restore_versions(&self, channel_key: &str, announced: &HashMap<i64, (i64, Option<Event>)>) {
        let mut overlays = self.overlays.lock();
        match self.by_key(channel_key) {
            Some(channel) => {
                let mut restored = ChannelSnapshot::clone(&channel);
                restored.restore_versions(announced, self.clock.now_s());
                self.replace(channel_key, restored);
            }
            None => overlays.entry(channel_key.to_owned()).or_default().announced.clone_from(announced),
        }
    }

    /// Replaces the served state of a channel that keeps its hosts. The caller holds the lock of the overlays.
    fn replace(&self, channel_key: &str, snapshot: ChannelSnapshot) {
        if let Some(state) = self.current.write().by_key.get_mut(channel_key) {
            state.served = Some(Arc::new(snapshot));
        }
    }
}

/// Reading.
impl Channels {
    /// The first fault of the first faulty channel.
    pub fn refused(&self) -> Option<String> {
        self.faulty().into_iter().next().map(|channel| channel.fault)
    }

    /// Channels whose folder is faulty, sorted by key.
    pub fn faulty(&self) -> Vec<FaultyChannel> {
        let current = self.current.read();
        let faulty = current.by_key.iter().filter_map(|(key, state)| {
            let fault = state.refusal.as_ref()?.faults.first();
            Some(FaultyChannel { key: key.clone(), fault, is_served: state.served.is_some() })
        });
        let mut faulty: Vec<_> = faulty.collect();
        faulty.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        faulty
    }

    /// Every fault of every channel, when none can be served.
    fn all_faults(&self) -> Faults {
        let current = self.current.read();
        let refusals = current.by_key.values().filter_map(|state| state.refusal.as_ref());
        let mut faults: Vec<_> = refusals.flat_map(|refusal| refusal.faults.0.clone()).collect();
        if faults.is_empty() {
            return Faults::of_folder("", read::NO_CHANNEL);
        }
        faults.sort();
        Faults(faults)
    }

    /// Owners of all hosts.
    pub fn owners(&self) -> HostOwners {
        let current = self.current.read();
        let hosts = current.by_host.iter().map(|(host, key)| (host.clone(), key.clone())).collect();
        HostOwners { hosts, fallback: current.fallback.clone() }
    }

    /// Keys of all channels, also of those that cannot be served.
    pub fn keys(&self) -> Vec<String> {
        self.current.read().by_key.keys().cloned().collect()
    }

    /// The channel with this key.
    pub fn by_key(&self, key: &str) -> Option<Arc<ChannelSnapshot>> {
        self.current.read().served(key).map(Arc::clone)
    }

    /// The channel of this host (with or without port), or the fallback.
    pub fn by_host(&self, host: &str) -> Option<Arc<ChannelSnapshot>> {
        let current = self.current.read();
        current.served(current.key_of_host(host)?).map(Arc::clone)
    }

    /// Whether a host is a channel's own, not only served by the fallback.
    pub fn has_host(&self, host: &str) -> bool {
        self.current.read().by_host.contains_key(&*host_name(host))
    }

    /// Whether a host belongs to a faulty channel without a sound state.
    pub fn is_down(&self, host: &str) -> bool {
        let current = self.current.read();
        current.key_of_host(host).is_some_and(|key| current.served(key).is_none())
    }

    /// Whether a channel exists but cannot be served, so that work for it has to wait.
    pub fn is_channel_down(&self, key: &str) -> bool {
        self.current.read().by_key.get(key).is_some_and(|state| state.served.is_none())
    }

    /// All served channels, sorted by key.
    pub fn all(&self) -> Vec<Arc<ChannelSnapshot>> {
        let current = self.current.read();
        let mut all: Vec<_> = current.by_key.values().filter_map(|state| state.served.clone()).collect();
        all.sort_unstable_by(|a, b| a.config.key.cmp(&b.config.key));
        all
    }

    /// Whether a folder must be checked without an event: a new one, one that could not be listed, and one that was
    /// refused for a host that may be free now.
    fn needs_check(&self, key: &str) -> bool {
        let current = self.current.read();
        let Some(state) = current.by_key.get(key) else { return true };
        state.refusal.as_ref().is_some_and(|refusal| refusal.files.is_none())
    }

    /// The source of the files.
    pub fn source(&self) -> &Arc<dyn ChannelSource> {
        &self.source
    }
}
