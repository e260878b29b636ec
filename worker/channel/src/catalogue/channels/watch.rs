//! Notices changed folders. Each is looked at and loaded in a task of its own, so that none waits for another.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::Channels;
use crate::catalogue::fault::ChannelsError;
use crate::source::SourceFile;

/// Interval between looks at every folder.
pub(crate) const WATCH_INTERVAL: Duration = Duration::from_secs(2);
/// Time that a changed folder must have been still before it is loaded, so that half a save is not.
const STILL: Duration = Duration::from_millis(500);

/// A change that is not loaded yet.
#[derive(Debug, Clone)]
struct Change {
    /// `None` if the folder is gone.
    files: Option<Vec<SourceFile>>,
    since: Instant,
}

/// The result of a task.
enum Look {
    /// The names of all folders.
    Root(Result<Vec<String>, ChannelsError>),
    /// A folder, with its change that is not loaded yet.
    Folder(String, Option<Change>),
}

/// The folders being watched.
struct Watch {
    channels: Arc<Channels>,
    changes: HashMap<String, Change>,
    /// Folders with a running task.
    busy: HashSet<String>,
    is_root_busy: bool,
    is_root_unreadable: bool,
    looks: JoinSet<Look>,
}

impl Channels {
    /// Loads changed folders until cancelled, and logs each load and each refused change. Every folder is looked at in
    /// each interval.
    pub async fn watch(self: Arc<Self>, every: Duration, cancel: CancellationToken) {
        if !self.source.can_change() {
            return;
        }
        let mut watch = Watch {
            channels: self,
            changes: HashMap::new(),
            busy: HashSet::new(),
            is_root_busy: false,
            is_root_unreadable: false,
            looks: JoinSet::new(),
        };
        let mut next_round = Instant::now() + every;
        loop {
            let next = watch.next_look().map_or(next_round, |at| at.min(next_round));
            tokio::select! {
                () = cancel.cancelled() => return,
                Some(look) = watch.looks.join_next() => match look {
                    Ok(look) => watch.finish(look),
                    Err(error) => {
                        tracing::error!(%error, "a look at the channel folders has crashed");
                        watch.busy.clear();
                        watch.is_root_busy = false;
                    }
                },
                () = sleep_until(next) => {
                    if Instant::now() >= next_round {
                        next_round = Instant::now() + every;
                        watch.look_at_root();
                    }
                    watch.look_at_still_folders();
                }
            }
        }
    }

    /// Loads each channel whose folder has changed, and logs the loads and each fault.
    ///
    /// # Errors
    /// Fails as [`Channels::reload`] does.
    pub async fn reload_and_log(self: Arc<Self>) -> Result<(), ChannelsError> {
        let reloaded = tokio::task::spawn_blocking(move || self.reload()).await;
        match reloaded {
            Ok(Ok(true)) => tracing::info!("the channels were reloaded"),
            Ok(Err(error)) => {
                log_refusal(None, &error);
                return Err(error);
            }
            Ok(Ok(false)) | Err(_) => {}
        }
        Ok(())
    }
}

impl Watch {
    /// The time of the next look at a folder that has changed.
    fn next_look(&self) -> Option<Instant> {
        let waiting = self.changes.iter().filter(|(key, change)| {
            if change.files.is_some() { !self.busy.contains(*key) } else { !self.is_root_busy }
        });
        waiting.map(|(_, change)| change.since + STILL).min()
    }

    fn look_at_still_folders(&mut self) {
        let now = Instant::now();
        let still = self.changes.iter().filter(|(_, change)| change.since + STILL <= now);
        let (there, gone): (Vec<_>, Vec<_>) =
            still.map(|(key, change)| (key.clone(), change.files.is_some())).partition(|(_, is_there)| *is_there);
        there.into_iter().for_each(|(key, _)| self.look_at(key));
        if !gone.is_empty() {
            self.look_at_root();
        }
    }

    fn look_at_root(&mut self) {
        if !self.is_root_busy {
            self.is_root_busy = true;
            let channels = Arc::clone(&self.channels);
            self.looks.spawn_blocking(move || Look::Root(channels.folders()));
        }
    }

    fn look_at(&mut self, key: String) {
        if self.busy.insert(key.clone()) {
            let (channels, change) = (Arc::clone(&self.channels), self.changes.get(&key).cloned());
            let now = Instant::now();
            self.looks.spawn_blocking(move || {
                let change = look(&channels, &key, change, now);
                Look::Folder(key, change)
            });
        }
    }

    fn finish(&mut self, look: Look) {
        match look {
            Look::Folder(key, change) => {
                self.busy.remove(&key);
                match change {
                    Some(change) => drop(self.changes.insert(key, change)),
                    None => drop(self.changes.remove(&key)),
                }
            }
            Look::Root(Ok(folders)) => {
                self.is_root_busy = false;
                self.is_root_unreadable = false;
                self.remove_missing(&folders);
                folders.into_iter().for_each(|key| self.look_at(key));
            }
            Look::Root(Err(error)) => {
                self.is_root_busy = false;
                self.changes.retain(|_, change| change.files.is_some());
                if !std::mem::replace(&mut self.is_root_unreadable, true) {
                    tracing::error!(%error, "the folder of the channels is unreadable or empty; they stay unchanged");
                }
            }
        }
    }

    /// Removes channels whose folder has been gone for a while.
    fn remove_missing(&mut self, folders: &[String]) {
        let now = Instant::now();
        for key in self.channels.keys() {
            if folders.contains(&key) || self.busy.contains(&key) {
                continue;
            }
            match self.changes.get(&key) {
                Some(Change { files: None, since }) if *since + STILL <= now => {
                    self.changes.remove(&key);
                    self.channels.remove(&key);
                    tracing::info!(channel = key, "the channel was removed: its folder is gone");
                }
                Some(Change { files: None, .. }) => {}
                _ => drop(self.changes.insert(key, Change { files: None, since: now })),
            }
        }
    }
}

/// Looks at a folder, and loads it if it changed and then was still. Returns a change that is not loaded yet. Blocks.
fn look(channels: &Channels, key: &str, before: Option<Change>, now: Instant) -> Option<Change> {
    let files = match channels.changed_files(key) {
        Ok(files) => files?,
        // The next look at the root decides whether it was removed.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(error) => {
            if channels.refuse_unreadable(key, &error) {
                tracing::error!(channel = key, %error, "the channel's folder cannot be read; the channel stays unchanged");
            }
            return None;
        }
    };
    match before {
        Some(Change { files: Some(seen), since }) if seen == files => {
            if since + STILL > now {
                return Some(Change { files: Some(files), since });
            }
        }
        _ => return Some(Change { files: Some(files), since: now }),
    }
    match channels.load_and_apply(key) {
        Ok(()) => {
            tracing::info!(channel = key, "the channel was reloaded");
            if let Some(channel) = channels.by_key(key) {
                channel.unsellable().for_each(|problem| tracing::warn!(channel = key, "{problem}"));
            }
            None
        }
        // Its files have changed since the last look.
        Err(ChannelsError::Changing) => Some(Change { files: Some(Vec::new()), since: now }),
        Err(error) => {
            log_refusal(Some(key), &error);
            None
        }
    }
}

fn log_refusal(channel: Option<&str>, error: &ChannelsError) {
    if let ChannelsError::Faulty(faults) = error {
        for fault in &faults.0 {
            tracing::error!(file = fault.file, field = fault.field, problem = fault.problem, "refused");
        }
    }
    match (channel, error) {
        (Some(channel), _) => tracing::error!(channel, "the changed channel has faults; it stays unchanged"),
        (None, ChannelsError::Faulty(_)) => tracing::error!("changed channels have faults; they stay unchanged"),
        (None, error) => tracing::warn!(%error, "the channels stay unchanged"),
    }
}
