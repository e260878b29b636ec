//! All channels of the worker, by key and by host. A changed folder replaces its channel as a whole.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, RwLock};
use tokio_util::sync::CancellationToken;
use touchline_protocol::ambient::SharedClock;
use touchline_protocol::catalogue::{Event, EventScore};

use super::fault::{ChannelsError, Faults};
use super::hosts::host_name;
use super::read::{self, LoadOptions};
use super::snapshot::{ChannelSnapshot, PictureFactsByAddress};
use crate::source::{ChannelSource, SourceFile};

pub(crate) const WATCH_INTERVAL: Duration = Duration::from_secs(2);

/// Attempts to read a source that changes during the reading.
const MAX_READS: usize = 5;

/// All channels of the worker.
#[derive(Debug)]
pub struct Channels {
    source: Arc<dyn ChannelSource>,
    options: LoadOptions,
    clock: SharedClock,
    loads: AtomicU64,
    current: RwLock<Arc<Loaded>>,
    /// Data about each channel that is not in its folder. Locked while channels are loaded with it.
    overlays: Mutex<Overlays>,
    /// The first fault of the last rejected change.
    refused: RwLock<Option<String>>,
}

type Overlays = HashMap<String, Overlay>;

/// Data about a channel that is not in its folder. Every load applies it again.
#[derive(Debug, Clone, Default, PartialEq)]
struct Overlay {
    /// Scores set by the operator, by event.
    scores: HashMap<i64, EventScore>,
    pictures: Arc<PictureFactsByAddress>,
}

/// All channels of one load.
#[derive(Debug, Default)]
struct Loaded {
    by_key: HashMap<String, Arc<ChannelSnapshot>>,
    /// Looked up by every request.
    by_host: foldhash::HashMap<String, Arc<ChannelSnapshot>>,
    fallback: Option<Arc<ChannelSnapshot>>,
    files: Vec<SourceFile>,
}

impl Loaded {
    fn add(&mut self, snapshot: Arc<ChannelSnapshot>) {
        for host in &snapshot.config.hosts {
            self.by_host.insert(host.clone(), Arc::clone(&snapshot));
        }
        if snapshot.config.fallback {
            self.fallback = Some(Arc::clone(&snapshot));
        }
        self.by_key.insert(snapshot.config.key.clone(), snapshot);
    }

    /// Copies the map with one channel replaced.
    fn with(&self, channel: ChannelSnapshot) -> Self {
        let mut loaded = Self { files: self.files.clone(), ..Self::default() };
        let others = self.by_key.values().filter(|other| other.key() != channel.key()).cloned();
        others.collect::<Vec<_>>().into_iter().chain([Arc::new(channel)]).for_each(|channel| loaded.add(channel));
        loaded
    }
}

impl Channels {
    /// Loads and checks every channel folder of `source`.
    ///
    /// # Errors
    /// Fails when a folder cannot be listed, and otherwise with every fault of every file.
    pub fn open(
        source: Arc<dyn ChannelSource>,
        options: LoadOptions,
        clock: SharedClock,
    ) -> Result<Self, ChannelsError> {
        let channels = Self {
            source,
            options,
            clock,
            loads: AtomicU64::new(0),
            current: RwLock::default(),
            overlays: Mutex::default(),
            refused: RwLock::default(),
        };
        let loaded = channels.load_whole(channels.source.files()?, &HashMap::new())?;
        *channels.current.write() = Arc::new(loaded);
        Ok(channels)
    }

    /// Loads a consistent state: if the source changed while it was read, it is read again, whatever was found.
    fn load_whole(&self, mut files: Vec<SourceFile>, overlays: &Overlays) -> Result<Loaded, ChannelsError> {
        for _ in 0..MAX_READS {
            let loaded = self.load(files.clone(), overlays);
            let after = if self.source.can_change() { self.source.files()? } else { files.clone() };
            if after == files {
                return Ok(loaded?);
            }
            files = after;
        }
        Err(ChannelsError::Changing)
    }

    fn load(&self, files: Vec<SourceFile>, overlays: &Overlays) -> Result<Loaded, Faults> {
        let generation = self.loads.fetch_add(1, Ordering::Relaxed) << 16;
        let snapshots = read::load(&*self.source, &files, &self.options, generation)?;
        let before = Arc::clone(&self.current.read());
        let mut loaded = Loaded { files, ..Loaded::default() };
        for mut snapshot in snapshots {
            if let Some(overlay) = overlays.get(snapshot.key()) {
                snapshot.apply_scores(&overlay.scores);
                snapshot.apply_pictures(&overlay.pictures);
            }
            if let Some(before) = before.by_key.get(snapshot.key()) {
                snapshot.follow(before, self.clock.now_s());
            }
            loaded.add(Arc::new(snapshot));
        }
        Ok(loaded)
    }

    /// Replaces the operator's scores of a channel, by event (`SCORE-1`). An event with a different score counts as
    /// changed. Waits for a load in progress.
    pub(crate) fn set_scores(&self, channel_key: &str, scores: HashMap<i64, EventScore>) {
        self.set_overlay(channel_key, |overlay| overlay.scores = scores);
    }

    /// Replaces the facts about a channel's photographs, by address (`FAST-9`). Waits for a load in progress.
    pub(crate) fn set_pictures(&self, channel_key: &str, pictures: Arc<PictureFactsByAddress>) {
        self.set_overlay(channel_key, |overlay| overlay.pictures = pictures);
    }

    fn set_overlay(&self, channel_key: &str, set: impl FnOnce(&mut Overlay)) {
        let mut all = self.overlays.lock();
        let before = all.get(channel_key).cloned().unwrap_or_default();
        let mut overlay = before.clone();
        set(&mut overlay);
        if overlay == before {
            return;
        }
        let mut current = self.current.write();
        if let Some(channel) = current.by_key.get(channel_key) {
            let mut changed = ChannelSnapshot::clone(channel);
            changed.apply_scores(&overlay.scores);
            changed.apply_pictures(&overlay.pictures);
            changed.follow(channel, self.clock.now_s());
            changed.generation = self.loads.fetch_add(1, Ordering::Relaxed) << 16;
            *current = Arc::new(current.with(changed));
        }
        all.insert(channel_key.to_owned(), overlay);
    }

    /// Restores the last published events from before a restart, so that versions continue from there.
    pub fn restore_versions(&self, channel_key: &str, announced: &HashMap<i64, (i64, Option<Event>)>) {
        let mut current = self.current.write();
        let Some(channel) = current.by_key.get(channel_key) else { return };
        let mut restored = ChannelSnapshot::clone(channel);
        restored.restore_versions(announced, self.clock.now_s());
        *current = Arc::new(current.with(restored));
    }

    /// The first fault of the last rejected change; `None` after a successful one.
    pub fn refused(&self) -> Option<String> {
        self.refused.read().clone()
    }

    /// The channel with this key.
    pub fn by_key(&self, key: &str) -> Option<Arc<ChannelSnapshot>> {
        self.current.read().by_key.get(key).map(Arc::clone)
    }

    /// The channel of this host (with or without port), or the fallback.
    pub fn by_host(&self, host: &str) -> Option<Arc<ChannelSnapshot>> {
        let current = self.current.read();
        current.by_host.get(&*host_name(host)).or(current.fallback.as_ref()).map(Arc::clone)
    }

    /// All channels, sorted by key.
    pub fn all(&self) -> Vec<Arc<ChannelSnapshot>> {
        let mut all: Vec<_> = self.current.read().by_key.values().map(Arc::clone).collect();
        all.sort_unstable_by(|a, b| a.config.key.cmp(&b.config.key));
        all
    }

    /// The source of the files.
    pub fn source(&self) -> &Arc<dyn ChannelSource> {
        &self.source
    }

    /// Reloads all channels if a file has changed. A faulty change leaves everything as it was.
    ///
    /// # Errors
    /// Fails as [`Channels::open`] does.
    pub fn reload(&self) -> Result<bool, ChannelsError> {
        let files = self.source.files()?;
        if self.current.read().files == files {
            return Ok(false);
        }
        let overlays = self.overlays.lock();
        let loaded = self.load_whole(files, &overlays).inspect_err(|error| {
            if let ChannelsError::Faulty(faults) = error {
                *self.refused.write() = faults.0.first().map(ToString::to_string);
            }
        })?;
        *self.current.write() = Arc::new(loaded);
        *self.refused.write() = None;
        Ok(true)
    }

    /// Looks for changes until cancelled, and logs each load and each rejected change.
    ///
    /// A change is applied once the files have stayed the same for a whole interval, so that a half-written file is not
    /// read.
    pub async fn watch(self: Arc<Self>, every: Duration, cancel: CancellationToken) {
        if !self.source.can_change() {
            return;
        }
        let mut seen: Option<Vec<SourceFile>> = None;
        let mut refused: Option<Vec<SourceFile>> = None;
        while cancel.run_until_cancelled(tokio::time::sleep(every)).await.is_some() {
            let channels = Arc::clone(&self);
            let listing = tokio::task::spawn_blocking(move || channels.source.files()).await;
            let files = match listing {
                Ok(Ok(files)) => files,
                Ok(Err(error)) => {
                    tracing::warn!(%error, "cannot check the channels for changes; they stay unchanged");
                    continue;
                }
                Err(_) => continue,
            };
            let is_present = self.current.read().files == files;
            if is_present {
                *self.refused.write() = None;
            }
            if is_present || refused.as_ref() == Some(&files) {
                seen = None;
                continue;
            }
            if seen.as_ref() != Some(&files) {
                seen = Some(files);
                continue;
            }
            if Arc::clone(&self).reload_and_log().await.is_err() {
                refused = Some(files);
            }
        }
    }

    /// Reloads all channels if a file has changed, and logs the load or each fault.
    ///
    /// # Errors
    /// Fails when changed channels are faulty. Everything then stays as it was until the next change.
    pub async fn reload_and_log(self: Arc<Self>) -> Result<(), ChannelsError> {
        let channels = Arc::clone(&self);
        match tokio::task::spawn_blocking(move || channels.reload()).await {
            Ok(Ok(true)) => {
                tracing::info!("the channels were reloaded");
                for channel in self.all() {
                    channel.unsellable().for_each(|problem| tracing::warn!(channel = channel.key(), "{problem}"));
                }
            }
            Ok(Err(ChannelsError::Faulty(faults))) => {
                for fault in &faults.0 {
                    tracing::error!(file = fault.file, field = fault.field, problem = fault.problem, "refused");
                }
                tracing::error!("the changed channels have faults; they stay unchanged");
                return Err(ChannelsError::Faulty(faults));
            }
            Ok(Err(error)) => tracing::warn!(%error, "the channels stay unchanged"),
            Ok(Ok(false)) | Err(_) => {}
        }
        Ok(())
    }
}
