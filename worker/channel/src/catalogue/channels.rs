//! Every channel of the worker, by key and by host, swapped whole when its folder changes.

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
use super::snapshot::{ChannelSnapshot, PicturesKnown};
use crate::source::{ChannelSource, SourceFile};

/// How often a source is looked at for changes.
pub const WATCH_EVERY: Duration = Duration::from_secs(2);

/// How often a source that changes while it is read is read anew before it is left for later.
const READINGS: usize = 5;

/// Every channel of the worker.
#[derive(Debug)]
pub struct Channels {
    source: Arc<dyn ChannelSource>,
    options: LoadOptions,
    clock: SharedClock,
    loads: AtomicU64,
    present: RwLock<Arc<Loaded>>,
    /// What is known of each channel beside its folder. Held while channels are loaded with it.
    beside: Mutex<Beside>,
    /// The first fault of a change that was not taken up.
    refused: RwLock<Option<String>>,
}

type Beside = HashMap<String, BesideFolder>;

/// What is known of a channel beside its folder: each load takes it up again.
#[derive(Debug, Clone, Default, PartialEq)]
struct BesideFolder {
    /// How the operator says that events stand, by event.
    scores: HashMap<i64, EventScore>,
    pictures: Arc<PicturesKnown>,
}

/// All channels of one load.
#[derive(Debug, Default)]
struct Loaded {
    by_key: HashMap<String, Arc<ChannelSnapshot>>,
    /// Each request looks its host up.
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

    /// The same with this channel in the place of what it was.
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
    /// A folder that cannot be listed; else every fault of every file.
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
            present: RwLock::default(),
            beside: Mutex::default(),
            refused: RwLock::default(),
        };
        let loaded = channels.load_whole(channels.source.files()?, &HashMap::new())?;
        *channels.present.write() = Arc::new(loaded);
        Ok(channels)
    }

    /// Loads what was there at one moment: a source that is another after it was read than before is read again, whatever
    /// was found in it.
    fn load_whole(&self, mut files: Vec<SourceFile>, beside: &Beside) -> Result<Loaded, ChannelsError> {
        for _ in 0..READINGS {
            let loaded = self.load(files.clone(), beside);
            let after = if self.source.can_change() { self.source.files()? } else { files.clone() };
            if after == files {
                return Ok(loaded?);
            }
            files = after;
        }
        Err(ChannelsError::Changing)
    }

    fn load(&self, files: Vec<SourceFile>, beside: &Beside) -> Result<Loaded, Faults> {
        let generation = self.loads.fetch_add(1, Ordering::Relaxed) << 16;
        let snapshots = read::load(&*self.source, &files, &self.options, generation)?;
        let before = Arc::clone(&self.present.read());
        let mut loaded = Loaded { files, ..Loaded::default() };
        for mut snapshot in snapshots {
            if let Some(beside) = beside.get(snapshot.key()) {
                snapshot.take_scores(&beside.scores);
                snapshot.take_pictures(&beside.pictures);
            }
            if let Some(before) = before.by_key.get(snapshot.key()) {
                snapshot.follow(before, self.clock.now_s());
            }
            loaded.add(Arc::new(snapshot));
        }
        Ok(loaded)
    }

    /// Takes up how the operator says that a channel's events stand: all of them, by event (`SCORE-1`). An event whose
    /// score is another one has changed. It waits for a load that is under way.
    pub fn set_scores(&self, channel_key: &str, scores: HashMap<i64, EventScore>) {
        self.set_beside(channel_key, |beside| beside.scores = scores);
    }

    /// Takes up what is known of a channel's photographs, by address (`FAST-9`). It waits for a load that is under way.
    pub(crate) fn set_pictures(&self, channel_key: &str, pictures: Arc<PicturesKnown>) {
        self.set_beside(channel_key, |beside| beside.pictures = pictures);
    }

    fn set_beside(&self, channel_key: &str, set: impl FnOnce(&mut BesideFolder)) {
        let mut all = self.beside.lock();
        let before = all.get(channel_key).cloned().unwrap_or_default();
        let mut beside = before.clone();
        set(&mut beside);
        if beside == before {
            return;
        }
        let mut present = self.present.write();
        if let Some(channel) = present.by_key.get(channel_key) {
            let mut changed = ChannelSnapshot::clone(channel);
            changed.take_scores(&beside.scores);
            changed.take_pictures(&beside.pictures);
            changed.follow(channel, self.clock.now_s());
            changed.generation = self.loads.fetch_add(1, Ordering::Relaxed) << 16;
            *present = Arc::new(present.with(changed));
        }
        all.insert(channel_key.to_owned(), beside);
    }

    /// Takes up what was told of a channel's events before this worker started: versions go on from there.
    pub fn recall(&self, channel_key: &str, told: &HashMap<i64, (i64, Option<Event>)>) {
        let mut present = self.present.write();
        let Some(channel) = present.by_key.get(channel_key) else { return };
        let mut recalled = ChannelSnapshot::clone(channel);
        recalled.recall(told, self.clock.now_s());
        *present = Arc::new(present.with(recalled));
    }

    /// The first fault of the change that was refused last, until one is taken up.
    pub fn refused(&self) -> Option<String> {
        self.refused.read().clone()
    }

    /// The channel of this key.
    pub fn by_key(&self, key: &str) -> Option<Arc<ChannelSnapshot>> {
        self.present.read().by_key.get(key).map(Arc::clone)
    }

    /// The channel that this host (with or without port) shows: its own, else the fallback.
    pub fn by_host(&self, host: &str) -> Option<Arc<ChannelSnapshot>> {
        let present = self.present.read();
        present.by_host.get(&*host_name(host)).or(present.fallback.as_ref()).map(Arc::clone)
    }

    /// Every channel, in the order of their keys.
    pub fn all(&self) -> Vec<Arc<ChannelSnapshot>> {
        let mut all: Vec<_> = self.present.read().by_key.values().map(Arc::clone).collect();
        all.sort_unstable_by(|a, b| a.config.key.cmp(&b.config.key));
        all
    }

    /// Where the files are read from.
    pub fn source(&self) -> &Arc<dyn ChannelSource> {
        &self.source
    }

    /// Loads everything anew when a file has changed. A faulty change leaves everything as it was.
    ///
    /// # Errors
    /// As [`Channels::open`].
    pub fn reload(&self) -> Result<bool, ChannelsError> {
        let files = self.source.files()?;
        if self.present.read().files == files {
            return Ok(false);
        }
        let beside = self.beside.lock();
        let loaded = self.load_whole(files, &beside).inspect_err(|error| {
            if let ChannelsError::Faulty(faults) = error {
                *self.refused.write() = faults.0.first().map(ToString::to_string);
            }
        })?;
        *self.present.write() = Arc::new(loaded);
        *self.refused.write() = None;
        Ok(true)
    }

    /// Looks for changes until it is cancelled, and tells the log of each load and each refused change.
    ///
    /// A change is taken up once the files have stayed the same for a whole interval, so that a half-written save is
    /// not judged.
    pub async fn watch(self: Arc<Self>, every: Duration, cancel: CancellationToken) {
        if !self.source.can_change() {
            return;
        }
        let mut seen: Option<Vec<SourceFile>> = None;
        let mut refused: Option<Vec<SourceFile>> = None;
        while cancel.run_until_cancelled(tokio::time::sleep(every)).await.is_some() {
            let this = Arc::clone(&self);
            let looked = tokio::task::spawn_blocking(move || this.source.files()).await;
            let files = match looked {
                Ok(Ok(files)) => files,
                Ok(Err(error)) => {
                    tracing::warn!(%error, "the channels cannot be looked at; they stay as they were");
                    continue;
                }
                Err(_) => continue,
            };
            let is_present = self.present.read().files == files;
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

    /// Loads everything anew when a file has changed, and tells the log of the load or of each fault.
    ///
    /// # Errors
    /// The changed channels are faulty: everything stays as it was until they are changed again.
    pub async fn reload_and_log(self: Arc<Self>) -> Result<(), ChannelsError> {
        match tokio::task::spawn_blocking(move || self.reload()).await {
            Ok(Ok(true)) => tracing::info!("the channels were loaded anew"),
            Ok(Err(ChannelsError::Faulty(faults))) => {
                for fault in &faults.0 {
                    tracing::error!(file = fault.file, field = fault.field, problem = fault.problem, "refused");
                }
                tracing::error!("the changed channels are faulty; they stay as they were");
                return Err(ChannelsError::Faulty(faults));
            }
            Ok(Err(error)) => tracing::warn!(%error, "the channels stay as they were"),
            Ok(Ok(false)) | Err(_) => {}
        }
        Ok(())
    }
}
