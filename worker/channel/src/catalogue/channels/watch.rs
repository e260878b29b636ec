//! Detects changed folders. Each is checked and loaded in its own task, so that none waits for another.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::Channels;
use super::events::{EventCollector, RootWatcher};
use crate::catalogue::fault::ChannelsError;
use crate::source::SourceFile;

/// Interval between checks of the root, and of each folder that may change without an event.
pub(crate) const WATCH_INTERVAL: Duration = Duration::from_secs(2);
/// Number of intervals between checks of all folders. Events cover the time between.
const INTERVALS_PER_FULL_CHECK: u32 = 30;
/// Time without changes before a changed folder is loaded, so that a partial save is not.
const SETTLE_TIME: Duration = Duration::from_millis(500);

/// Maximum number of folders that are checked and loaded at once.
const MAX_CHECKS: usize = 16;

/// A change that is not loaded yet.
#[derive(Debug, Clone)]
struct Change {
    /// `None` if the folder is gone.
    files: Option<Vec<SourceFile>>,
    since: Instant,
}

/// The result of a task.
enum TaskResult {
    /// The names of all folders, and a new watcher.
    Root(Result<Vec<String>, ChannelsError>, Option<RootWatcher>),
    Folder(FolderCheck),
}

struct FolderCheck {
    key: String,
    /// A change that is not loaded yet.
    change: Option<Change>,
    has_links: bool,
}

/// The folders being watched.
struct Watch {
    channels: Arc<Channels>,
    changes: HashMap<String, Change>,
    /// Folders with a task, running or queued.
    busy: HashSet<String>,
    queued: VecDeque<String>,
    running_checks: usize,
    /// Folders to check again after their running task.
    changed_meanwhile: HashSet<String>,
    /// Folders that may change without an event.
    linked: HashSet<String>,
    is_root_busy: bool,
    /// Whether the root had events since its running task began.
    has_root_changed_meanwhile: bool,
    is_root_unreadable: bool,
    tasks: JoinSet<TaskResult>,
    events: Arc<EventCollector>,
    root_watcher: Option<RootWatcher>,
    /// Checks of the root until all folders are checked again.
    rounds_left: u32,
}

impl Channels {
    /// Loads changed folders until cancelled, and logs each load and each refused change. In each interval, every folder
    /// is checked that may have changed without an event.
    pub async fn watch(self: Arc<Self>, every: Duration, cancel: CancellationToken) {
        if !self.source.can_change() {
            return;
        }
        let mut watch = Watch::new(self);
        // The watcher is created first.
        watch.check_root();
        let mut next_round = Instant::now() + every;
        loop {
            let next = watch.next_check().map_or(next_round, |at| at.min(next_round));
            tokio::select! {
                () = cancel.cancelled() => return,
                Some(result) = watch.tasks.join_next() => watch.finish(result),
                () = watch.events.notified() => watch.check_changed(),
                () = sleep_until(next) => {
                    if Instant::now() >= next_round {
                        next_round = Instant::now() + every;
                        watch.check_root();
                    }
                    watch.check_settled();
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
    fn new(channels: Arc<Channels>) -> Self {
        Self {
            channels,
            changes: HashMap::new(),
            busy: HashSet::new(),
            queued: VecDeque::new(),
            running_checks: 0,
            changed_meanwhile: HashSet::new(),
            linked: HashSet::new(),
            is_root_busy: false,
            has_root_changed_meanwhile: false,
            is_root_unreadable: false,
            tasks: JoinSet::new(),
            events: Arc::default(),
            root_watcher: None,
            rounds_left: 0,
        }
    }

    /// Time of the next check of a folder that has changed.
    fn next_check(&self) -> Option<Instant> {
        let waiting = self.changes.iter().filter(|(key, change)| {
            if change.files.is_some() { !self.busy.contains(*key) } else { !self.is_root_busy }
        });
        waiting.map(|(_, change)| change.since + SETTLE_TIME).min()
    }

    fn check_settled(&mut self) {
        let now = Instant::now();
        let still = self.changes.iter().filter(|(_, change)| change.since + SETTLE_TIME <= now);
        let (there, gone): (Vec<_>, Vec<_>) =
            still.map(|(key, change)| (key.clone(), change.files.is_some())).partition(|(_, is_there)| *is_there);
        there.into_iter().for_each(|(key, _)| self.check(key));
        if !gone.is_empty() {
            self.check_root();
        }
    }

    /// Checks the folders with events.
    fn check_changed(&mut self) {
        let changed = self.events.take();
        for key in changed.keys {
            // A folder that changed before is checked once it may have settled.
            if self.busy.contains(&key) || self.changes.get(&key).is_none_or(|change| change.files.is_none()) {
                self.check(key);
            }
        }
        if changed.is_all {
            self.rounds_left = 0;
        }
        if changed.is_all || changed.is_root {
            self.check_root();
        }
    }

    fn check_root(&mut self) {
        if self.is_root_busy {
            self.has_root_changed_meanwhile = true;
            return;
        }
        self.is_root_busy = true;
        let (channels, events) = (Arc::clone(&self.channels), Arc::clone(&self.events));
        let current = self.root_watcher.as_ref().map(RootWatcher::identity);
        self.tasks.spawn_blocking(move || {
            let root = channels.source.event_root();
            let watcher = root.and_then(|root| RootWatcher::renew(root, current, &events));
            TaskResult::Root(channels.folders(), watcher)
        });
    }

    fn check(&mut self, key: String) {
        if !self.busy.insert(key.clone()) {
            self.changed_meanwhile.insert(key);
        } else if self.running_checks < MAX_CHECKS {
            self.start_check(key);
        } else {
            self.queued.push_back(key);
        }
    }

    fn start_check(&mut self, key: String) {
        self.running_checks += 1;
        let (channels, change) = (Arc::clone(&self.channels), self.changes.get(&key).cloned());
        let now = Instant::now();
        self.tasks.spawn_blocking(move || {
            let checked = catch_unwind(AssertUnwindSafe(|| {
                let change = check_folder(&channels, &key, change, now);
                (change, channels.source.event_root().is_some() && channels.source.has_links(&key))
            }));
            let (change, has_links) = checked.unwrap_or_else(|_| {
                tracing::error!(channel = key, "a look at the channel's folder has crashed");
                channels.refuse_unreadable(&key, &io::Error::other("the reader panicked"));
                (None, false)
            });
            TaskResult::Folder(FolderCheck { key, change, has_links })
        });
    }

    fn finish(&mut self, result: Result<TaskResult, JoinError>) {
        match result {
            Ok(TaskResult::Folder(FolderCheck { key, change, has_links })) => {
                self.busy.remove(&key);
                self.running_checks -= 1;
                if let Some(next) = self.queued.pop_front() {
                    self.start_check(next);
                }
                if has_links {
                    self.linked.insert(key.clone());
                } else {
                    self.linked.remove(&key);
                }
                let is_settled = change.is_none();
                match change {
                    Some(change) => drop(self.changes.insert(key.clone(), change)),
                    // Only a check of the root shows whether a folder is gone.
                    None => self.changes.retain(|other, change| *other != key || change.files.is_none()),
                }
                if self.changed_meanwhile.remove(&key) && is_settled {
                    self.check(key);
                }
            }
            Ok(TaskResult::Root(folders, watcher)) => {
                self.is_root_busy = false;
                if watcher.is_some() {
                    self.root_watcher = watcher;
                    self.rounds_left = 0;
                }
                self.finish_root(folders);
                if std::mem::take(&mut self.has_root_changed_meanwhile) {
                    self.check_root();
                }
            }
            Err(error) => {
                tracing::error!(%error, "a look at the root of the channel folders has crashed");
                self.is_root_busy = false;
            }
        }
    }

    fn finish_root(&mut self, folders: Result<Vec<String>, ChannelsError>) {
        match folders {
            Ok(folders) => {
                self.is_root_unreadable = false;
                self.remove_missing(&folders);
                let is_whole =
                    self.rounds_left == 0 || !self.root_watcher.as_ref().is_some_and(RootWatcher::has_events);
                self.rounds_left = if is_whole { INTERVALS_PER_FULL_CHECK } else { self.rounds_left - 1 };
                for key in folders {
                    if is_whole || self.linked.contains(&key) || self.channels.needs_check(&key) {
                        self.check(key);
                    }
                }
            }
            Err(error) => {
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
        self.linked.retain(|key| folders.contains(key));
        // Another folder may have taken its place.
        let is_back = |key: &String, change: &mut Change| change.files.is_none() && folders.contains(key);
        let back: Vec<_> = self.changes.extract_if(is_back).map(|(key, _)| key).collect();
        back.into_iter().for_each(|key| self.check(key));
        for key in self.channels.keys() {
            if folders.contains(&key) {
                continue;
            }
            match self.changes.get(&key) {
                Some(Change { files: None, since }) if *since + SETTLE_TIME <= now => {
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

/// Checks a folder, and loads it if it has changed and then settled. Returns a change that is not loaded yet. Blocks.
fn check_folder(channels: &Channels, key: &str, before: Option<Change>, now: Instant) -> Option<Change> {
    let files = match channels.changed_files(key) {
        Ok(files) => files?,
        // The next check of the root decides whether it was removed. A plain file in the root isn't a channel.
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => return None,
        Err(error) => {
            if channels.refuse_unreadable(key, &error) {
                tracing::error!(channel = key, %error, "the channel's folder cannot be read; the channel stays unchanged");
            }
            return None;
        }
    };
    match before {
        Some(Change { files: Some(seen), since }) if seen == files => {
            if since + SETTLE_TIME > now {
                return Some(Change { files: Some(files), since });
            }
        }
        _ => return Some(Change { files: Some(files), since: now }),
    }
    match channels.load_and_apply(key, Some(&files)) {
        Ok(()) => {
            tracing::info!(channel = key, "the channel was reloaded");
            if let Some(channel) = channels.by_key(key) {
                channel.unsellable().for_each(|problem| tracing::warn!(channel = key, "{problem}"));
            }
            None
        }
        // Its files have changed since the last check.
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

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use notify::{Event, EventKind, event::ModifyKind};
    use touchline_protocol::ambient::ManualClock;

    use super::*;
    use crate::catalogue::read::LoadOptions;
    use crate::source::{ChannelSource, FolderSource};

    fn channels() -> Channels {
        let source = FolderSource::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/channels"));
        Channels::open(Arc::new(source), LoadOptions::default(), ManualClock::at_ms(0)).unwrap()
    }

    fn watch() -> Watch {
        Watch::new(Arc::new(channels()))
    }

    fn missing() -> (String, Change) {
        ("meadow".to_owned(), Change { files: None, since: Instant::now() })
    }

    /// `OPS-55`: a swap by two renames.
    #[tokio::test]
    async fn a_folder_that_replaced_a_missing_one_is_checked() {
        let mut watch = watch();
        watch.changes.extend([missing()]);
        watch.remove_missing(&["meadow".to_owned()]);
        assert!(watch.busy.contains("meadow") && watch.changes.is_empty());
        watch.changes.extend([missing()]);
        watch.remove_missing(&["meadow".to_owned()]);
        assert!(watch.changed_meanwhile.contains("meadow"), "the running check may have found the old folder");
    }

    #[tokio::test]
    async fn an_event_in_a_missing_folder_leads_to_a_check() {
        let mut watch = watch();
        watch.changes.extend([missing()]);
        let event = Event::new(EventKind::Modify(ModifyKind::Any)).add_path(PathBuf::from("/root/meadow/faq.json"));
        watch.events.add(Path::new("/root"), Ok(event));
        watch.check_changed();
        assert!(watch.busy.contains("meadow"));
    }

    #[derive(Debug)]
    struct Panicking;

    impl ChannelSource for Panicking {
        fn files(&self) -> io::Result<Vec<SourceFile>> {
            panic!("a fault of the reader")
        }

        fn read(&self, _path: &str) -> io::Result<bytes::Bytes> {
            Err(io::ErrorKind::NotFound.into())
        }
    }

    #[tokio::test]
    async fn a_folder_whose_reader_panics_is_refused_and_waits_for_the_next_round() {
        let mut watch = Watch::new(Arc::new(Channels { source: Arc::new(Panicking), ..channels() }));
        watch.changes.insert("meadow".to_owned(), Change { files: Some(Vec::new()), since: Instant::now() });
        watch.check("meadow".to_owned());
        let checked = watch.tasks.join_next().await.unwrap();
        watch.finish(checked);
        assert!(watch.busy.is_empty() && watch.changes.is_empty());
        assert!(watch.channels.refused().unwrap().contains("the reader panicked"));
    }

    #[tokio::test]
    async fn few_of_many_changed_folders_are_loaded_at_once_and_all_in_turn() {
        let mut watch = watch();
        (0..100).for_each(|number| watch.check(number.to_string()));
        assert_eq!(watch.tasks.len(), MAX_CHECKS);
        let mut finished = 0;
        while let Some(result) = watch.tasks.join_next().await {
            watch.finish(result);
            finished += 1;
            assert!(watch.tasks.len() <= MAX_CHECKS);
        }
        assert!(finished == 100 && watch.busy.is_empty());
    }

    #[test]
    fn a_folder_that_is_no_longer_still_is_not_loaded() {
        let channels = channels();
        let before = channels.by_key("meadow").unwrap();
        assert!(matches!(channels.load_and_apply("meadow", Some(&[])), Err(ChannelsError::Changing)));
        assert!(Arc::ptr_eq(&channels.by_key("meadow").unwrap(), &before));
        let files = channels.source.files_of("meadow").unwrap();
        channels.load_and_apply("meadow", Some(&files)).unwrap();
        assert!(!Arc::ptr_eq(&channels.by_key("meadow").unwrap(), &before));
    }

    #[test]
    fn a_plain_file_in_the_root_is_no_channel() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("README.md"), "").unwrap();
        let channels = Channels { source: Arc::new(FolderSource::new(root.path())), ..channels() };
        assert!(check_folder(&channels, "README.md", None, Instant::now()).is_none());
        assert!(channels.keys().iter().all(|key| key != "README.md"));
    }
}
