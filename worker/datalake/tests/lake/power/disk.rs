//! The possible states of a disk after a power failure.
//!
//! Everything that a finished sync covers is there. Any other write survives completely, partly (by sectors) or not at
//! all, independently of earlier writes. The same applies to each change of a folder's entries: POSIX does not promise
//! an order, though most file systems keep one.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::Path;

use touchline_protocol::ambient::{Entropy, SeededEntropy};

use super::recording::Step;

/// Bytes that a disk writes atomically.
const SECTOR: u64 = 512;

/// Fate of changes that no sync covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unsynced {
    Dropped,
    Kept,
    /// Each change is applied, dropped or torn at random.
    Torn(u64),
}

/// A file or a folder, numbered in order of creation, because inodes are reused.
type Node = usize;
/// A name in a folder.
type Entry = (Node, String);

#[derive(Debug, Clone)]
enum Change {
    Wrote {
        node: Node,
        offset: u64,
        bytes: Vec<u8>,
    },
    Cut {
        node: Node,
        length: u64,
    },
    /// Entries that change atomically, with their new targets.
    Entries(Vec<(Entry, Option<Node>)>),
}

impl Change {
    /// The files and folders that must all be synced before the change is durable.
    fn nodes(&self) -> Vec<Node> {
        match self {
            Self::Wrote { node, .. } | Self::Cut { node, .. } => vec![*node],
            Self::Entries(entries) => entries.iter().map(|((folder, _), _)| *folder).collect(),
        }
    }
}

/// A recording as changes of files and of folder entries.
pub(crate) struct Disk {
    /// By index of the step.
    changes: BTreeMap<usize, Change>,
    folders: HashSet<Node>,
    /// Syncs: first and last step, and the node.
    syncs: Vec<(usize, usize, Node)>,
}

/// The file names at the current step of the recording.
#[derive(Default)]
struct Names {
    nodes: Node,
    of_inode: HashMap<u64, Node>,
    entries: HashMap<Entry, Node>,
}

impl Names {
    fn come(&mut self, inode: u64) -> Node {
        self.nodes += 1;
        self.of_inode.insert(inode, self.nodes);
        self.nodes
    }

    fn entry(&self, path: &str) -> Entry {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let names = folder.split('/').filter(|name| !name.is_empty());
        (names.fold(1, |folder, name| self.entries[&(folder, name.to_owned())]), name.to_owned())
    }
}

impl Disk {
    pub(crate) fn of(steps: &[Step]) -> Self {
        let mut names = Names::default();
        let mut disk = Self { changes: BTreeMap::new(), folders: HashSet::new(), syncs: Vec::new() };
        let mut started = HashMap::new();
        for (at, step) in steps.iter().enumerate() {
            let mut named = Vec::new();
            match step {
                Step::Made { path, inode } if path.is_empty() => {
                    let root = names.come(*inode);
                    assert_eq!(root, 1, "the watched folder must come first and once");
                    disk.folders.insert(root);
                }
                Step::Made { path, inode } => {
                    let node = names.come(*inode);
                    disk.folders.insert(node);
                    named.push((names.entry(path), Some(node)));
                }
                Step::Created { path, inode } => named.push((names.entry(path), Some(names.come(*inode)))),
                Step::Renamed { from, to } => {
                    let from = names.entry(from);
                    named.push((names.entry(to), Some(names.entries[&from])));
                    named.push((from, None));
                }
                Step::Linked { from, to } => named.push((names.entry(to), Some(names.entries[&names.entry(from)]))),
                Step::Removed { path } => named.push((names.entry(path), None)),
                Step::Wrote { inode, offset, bytes } => {
                    let node = names.of_inode[inode];
                    disk.changes.insert(at, Change::Wrote { node, offset: *offset, bytes: bytes.clone() });
                }
                Step::Cut { inode, length } => {
                    disk.changes.insert(at, Change::Cut { node: names.of_inode[inode], length: *length });
                }
                Step::SyncBegan { inode, number } => drop(started.insert(*number, (at, names.of_inode[inode]))),
                Step::SyncEnded { number } => {
                    let (began, node) = started[number];
                    disk.syncs.push((began, at, node));
                }
                Step::Answered { .. } => {}
            }
            for (entry, node) in &named {
                match node {
                    Some(node) => names.entries.insert(entry.clone(), *node),
                    None => names.entries.remove(entry),
                };
            }
            if !named.is_empty() {
                disk.changes.insert(at, Change::Entries(named));
            }
        }
        disk
    }

    /// The steps at which syncs end, after which more is durable.
    pub(crate) fn boundaries(&self) -> impl Iterator<Item = usize> {
        self.syncs.iter().map(|(_, ended, _)| *ended)
    }

    /// Writes the disk's content after a power failure before step `until` to `folder`.
    pub(crate) fn write(&self, until: usize, unsynced: Unsynced, folder: &Path) {
        let mut covered = HashMap::<Node, usize>::new();
        for (began, _, node) in self.syncs.iter().filter(|(_, ended, _)| *ended < until) {
            let covers = covered.entry(*node).or_default();
            *covers = (*covers).max(*began);
        }
        let mut image = Image::default();
        let entropy = SeededEntropy::new(if let Unsynced::Torn(seed) = unsynced { seed } else { 0 });
        for (at, change) in self.changes.range(..until) {
            let synced = change.nodes().iter().all(|node| covered.get(node).is_some_and(|began| at < began));
            match unsynced {
                _ if synced => image.change(change, |_| true),
                Unsynced::Kept => image.change(change, |_| true),
                Unsynced::Dropped => {}
                Unsynced::Torn(_) => match entropy.next_u64() % 3 {
                    0 => {}
                    1 => image.change(change, |_| true),
                    _ => image.change(change, |_| entropy.next_u64().is_multiple_of(2)),
                },
            }
        }
        self.write_folder(&image, 1, folder);
    }

    fn write_folder(&self, image: &Image, node: Node, path: &Path) {
        fs::create_dir_all(path).unwrap();
        for ((_, name), node) in image.entries.range((node, String::new())..(node + 1, String::new())) {
            let path = path.join(name);
            if self.folders.contains(node) {
                self.write_folder(image, *node, &path);
            } else {
                fs::write(path, image.files.get(node).map_or(&[][..], Vec::as_slice)).unwrap();
            }
        }
    }
}

#[derive(Default)]
struct Image {
    entries: BTreeMap<Entry, Node>,
    files: HashMap<Node, Vec<u8>>,
}

impl Image {
    /// Applies a change. Of a write, only the sectors for which `survives` is true; entries change together or not at
    /// all.
    fn change(&mut self, change: &Change, survives: impl Fn(u64) -> bool) {
        match change {
            Change::Wrote { node, offset, bytes } => {
                let file = self.files.entry(*node).or_default();
                let end = offset + bytes.len() as u64;
                for sector in offset / SECTOR..end.div_ceil(SECTOR) {
                    if survives(sector) {
                        let (from, to) = ((sector * SECTOR).max(*offset), ((sector + 1) * SECTOR).min(end));
                        if file.len() < to as usize {
                            file.resize(to as usize, 0);
                        }
                        let part = &bytes[(from - offset) as usize..(to - offset) as usize];
                        file[from as usize..to as usize].copy_from_slice(part);
                    }
                }
            }
            Change::Cut { node, length } => self.files.entry(*node).or_default().resize(*length as usize, 0),
            Change::Entries(entries) => {
                for (entry, node) in entries {
                    match node {
                        Some(node) => self.entries.insert(entry.clone(), *node),
                        None => self.entries.remove(entry),
                    };
                }
            }
        }
    }
}
