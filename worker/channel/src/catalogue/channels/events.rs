//! File-system events below the root of the channel folders.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use parking_lot::Mutex;
use tokio::sync::Notify;

/// Types of file systems that raise no events for changes by other machines (`statfs(2)`): NFS, SMB, CIFS, FUSE, 9P,
/// Ceph, AFS, Lustre, OCFS2, VirtualBox and VMware.
const WITHOUT_EVENTS: [u32; 13] = [
    0x6969,
    0x517b,
    0xfe53_4d42,
    0xff53_4d42,
    0x6573_5546,
    0x0102_1997,
    0x00c3_6400,
    0x5346_414f,
    0x6b41_4653,
    0x0bd0_0bd0,
    0x7461_636f,
    0x786f_4256,
    0xbacb_acbc,
];

/// Folders with events since the last look.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ChangedFolders {
    pub(super) keys: HashSet<String>,
    /// Whether a folder was created, removed or renamed.
    pub(super) is_root: bool,
    /// Whether events were lost.
    pub(super) is_all: bool,
}

/// Collects events until they are taken.
#[derive(Debug, Default)]
pub(super) struct EventCollector {
    changed: Mutex<ChangedFolders>,
    notify: Notify,
}

impl EventCollector {
    pub(super) fn add(&self, root: &Path, event: notify::Result<Event>) {
        let Ok(event) = event else {
            self.changed.lock().is_all = true;
            return self.notify.notify_one();
        };
        // Our own reads raise events too.
        if matches!(event.kind, EventKind::Access(_)) {
            return;
        }
        let mut changed = self.changed.lock();
        changed.is_all |= event.need_rescan();
        for path in &event.paths {
            let mut steps = path.strip_prefix(root).unwrap_or(Path::new("")).iter();
            match steps.next().and_then(|key| key.to_str()) {
                Some(key) if !key.starts_with('.') => {
                    changed.is_root |= steps.next().is_none();
                    changed.keys.insert(key.to_owned());
                }
                Some(_) => {}
                None => changed.is_root = true,
            }
        }
        drop(changed);
        self.notify.notify_one();
    }

    pub(super) async fn notified(&self) {
        self.notify.notified().await;
    }

    pub(super) fn take(&self) -> ChangedFolders {
        std::mem::take(&mut *self.changed.lock())
    }
}

/// The watcher of a root.
pub(super) struct RootWatcher {
    /// Device and inode of the root: another folder in its place needs another watcher.
    root: (u64, u64),
    /// `None` if the root raises no events.
    watcher: Option<RecommendedWatcher>,
}

impl RootWatcher {
    pub(super) fn has_events(&self) -> bool {
        self.watcher.is_some()
    }

    pub(super) fn identity(&self) -> (u64, u64) {
        self.root
    }

    /// Watches `root`, unless it is `current`. Blocks.
    pub(super) fn renew(root: &Path, current: Option<(u64, u64)>, events: &Arc<EventCollector>) -> Option<Self> {
        let meta = fs::metadata(root).ok()?;
        let identity = (meta.dev(), meta.ino());
        if current == Some(identity) {
            return None;
        }
        let watcher = watch(root, events)
            .inspect_err(|error| {
                tracing::warn!(%error, "no file-system events for the channel folders: they are looked at every 2 s");
            })
            .ok();
        Some(Self { root: identity, watcher })
    }
}

fn watch(root: &Path, events: &Arc<EventCollector>) -> io::Result<RecommendedWatcher> {
    let root: PathBuf = fs::canonicalize(root)?;
    let kind = u32::try_from(rustix::fs::statfs(&root)?.f_type & 0xffff_ffff);
    if kind.is_ok_and(|kind| WITHOUT_EVENTS.contains(&kind)) {
        return Err(io::Error::other("the file system raises none"));
    }
    let (events, base) = (Arc::clone(events), root.clone());
    // Folders with links are looked at instead.
    let config = Config::default().with_follow_symlinks(false);
    let mut watcher =
        RecommendedWatcher::new(move |event| events.add(&base, event), config).map_err(io::Error::other)?;
    watcher.watch(&root, RecursiveMode::Recursive).map_err(io::Error::other)?;
    Ok(watcher)
}

#[cfg(test)]
mod tests {
    use notify::event::{AccessKind, CreateKind, DataChange, Flag, ModifyKind};

    use super::*;

    #[test]
    fn events_name_the_folders_that_changed() {
        let events = EventCollector::default();
        let add = |kind: EventKind, path: &str| {
            events.add(Path::new("/root"), Ok(Event::new(kind).add_path(PathBuf::from(path))));
            events.take()
        };
        let modified = EventKind::Modify(ModifyKind::Data(DataChange::Any));
        let keys = |key: &str| HashSet::from([key.to_owned()]);
        let inside = ChangedFolders { keys: keys("north"), ..ChangedFolders::default() };
        assert_eq!(add(modified, "/root/north/media/x.svg"), inside);
        assert_eq!(add(EventKind::Access(AccessKind::Read), "/root/north/x"), ChangedFolders::default());
        assert_eq!(add(modified, "/root/.new/x"), ChangedFolders::default());
        let created = ChangedFolders { keys: keys("north"), is_root: true, is_all: false };
        assert_eq!(add(EventKind::Create(CreateKind::Folder), "/root/north"), created);
        events.add(Path::new("/root"), Ok(Event::new(EventKind::Other).set_flag(Flag::Rescan)));
        assert!(events.take().is_all);
    }
}
