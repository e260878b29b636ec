//! Sources of channel folders: a directory, or another implementation such as the embedded demo.

use std::fmt::Debug;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use bytes::Bytes;
use rustix::buffer::spare_capacity;
use rustix::io::{pread, retry_on_intr};

/// Deepest nesting of folders; also ends a loop of symbolic links.
const MAX_DEPTH: usize = 16;

/// A file of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Path from the root, with `/`: `northfield/media/hls/court/master.m3u8`.
    pub path: String,
    /// Length in bytes.
    pub len: u64,
    /// Changes when the content does.
    pub stamp: u64,
}

/// Identifies the content of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileVersion {
    /// Device and inode, or a number for the object's name in a bucket.
    pub file: (u64, u64),
    /// Changes when the content does.
    pub stamp: u64,
    /// Length in bytes.
    pub len: u64,
}

impl FileVersion {
    pub(crate) fn of(meta: &fs::Metadata) -> Self {
        let modified_ns = meta.mtime().saturating_mul(1_000_000_000).saturating_add(meta.mtime_nsec());
        Self { file: (meta.dev(), meta.ino()), stamp: modified_ns.cast_unsigned(), len: meta.len() }
    }
}

/// An open file. Another file under its name does not change what it reads.
pub trait OpenFile: Debug + Send + 'static {
    /// Returns the version of its content, or `None` if it is in memory.
    fn version(&self) -> io::Result<Option<FileVersion>>;

    /// Reads `len` bytes from `offset`, or fewer at the end of the file.
    fn read_at(&self, offset: u64, len: u64) -> io::Result<Bytes>;
}

impl OpenFile for File {
    fn version(&self) -> io::Result<Option<FileVersion>> {
        Ok(Some(FileVersion::of(&self.metadata()?)))
    }

    fn read_at(&self, offset: u64, len: u64) -> io::Result<Bytes> {
        let len = usize::try_from(len).map_err(io::Error::other)?;
        let mut bytes = Vec::with_capacity(len);
        while bytes.len() < len {
            let at = offset + bytes.len() as u64;
            if retry_on_intr(|| pread(self, spare_capacity(&mut bytes), at))? == 0 {
                break;
            }
        }
        bytes.truncate(len);
        Ok(bytes.into())
    }
}

impl OpenFile for Bytes {
    fn version(&self) -> io::Result<Option<FileVersion>> {
        Ok(None)
    }

    fn read_at(&self, offset: u64, len: u64) -> io::Result<Bytes> {
        let from = usize::try_from(offset).unwrap_or(usize::MAX).min(self.len());
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        Ok(self.slice(from..from.saturating_add(len).min(self.len())))
    }
}

/// A tree of channel folders, `<key>/channel.json` and so on.
///
/// Requests are looked up in an index of listed files first, so that only these can be read.
pub trait ChannelSource: Debug + Send + Sync + 'static {
    /// Lists all files.
    fn files(&self) -> io::Result<Vec<SourceFile>>;

    /// Lists the names of the channel folders.
    fn folders(&self) -> io::Result<Vec<String>> {
        let files = self.files()?;
        let mut folders: Vec<_> = files.iter().filter_map(|file| Some(file.path.split_once('/')?.0)).collect();
        folders.dedup();
        Ok(folders.into_iter().map(str::to_owned).collect())
    }

    /// Lists the files of one channel folder, with their paths from the root.
    fn files_of(&self, folder: &str) -> io::Result<Vec<SourceFile>> {
        let mut files = self.files()?;
        files.retain(|file| file.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')));
        Ok(files)
    }

    /// Reads a whole file.
    fn read(&self, path: &str) -> io::Result<Bytes>;

    /// Reads at most `len` bytes of a file from `offset`.
    fn read_part(&self, path: &str, offset: u64, len: usize) -> io::Result<Bytes> {
        self.open_file(path)?.read_at(offset, len as u64)
    }

    /// Opens a file for several reads.
    fn open_file(&self, path: &str) -> io::Result<Box<dyn OpenFile>> {
        self.read(path).map(|whole| Box::new(whole) as Box<dyn OpenFile>)
    }

    /// Returns the version of a file, or `None` if it is in memory.
    fn version(&self, path: &str) -> io::Result<Option<FileVersion>> {
        self.open_file(path)?.version()
    }

    /// Describes entries that are skipped: dangling links, pipes, sockets and devices.
    fn skipped(&self) -> io::Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// Whether its files can change while the worker runs.
    fn can_change(&self) -> bool {
        true
    }

    /// The directory of the channel folders, if changes below it are to be noticed by file-system events.
    fn event_root(&self) -> Option<&Path> {
        None
    }

    /// Whether a channel folder is or contains a link, whose target raises no events.
    fn has_links(&self, _folder: &str) -> bool {
        false
    }
}

/// A directory on disk.
#[derive(Debug, Clone)]
pub struct FolderSource {
    root: PathBuf,
    has_events: bool,
}

impl FolderSource {
    /// Creates a source from the directory whose children are channel folders.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), has_events: false }
    }

    /// Has changes noticed by file-system events.
    #[must_use]
    pub fn with_events(self) -> Self {
        Self { has_events: true, ..self }
    }

    fn walk(
        &self,
        folder: &Path,
        prefix: &str,
        depth: usize,
        found: &mut Vec<SourceFile>,
        skipped: &mut Vec<String>,
    ) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            // JSON and URLs cannot refer to a name that is not UTF-8. Dot files are not content.
            let Ok(name) = entry.file_name().into_string() else { continue };
            if name.starts_with('.') {
                continue;
            }
            // A file that vanished after the listing is skipped.
            let path = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
            let Ok(meta) = fs::metadata(entry.path()) else {
                if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                    skipped.push(format!("{path} is a dangling link"));
                }
                continue;
            };
            if meta.is_dir() {
                if depth < MAX_DEPTH {
                    self.walk(&entry.path(), &path, depth + 1, found, skipped)?;
                }
            } else if meta.is_file() {
                let modified = meta.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
                found.push(SourceFile { path, len: meta.len(), stamp: modified.as_nanos() as u64 });
            } else {
                skipped.push(format!("{path} is neither a file nor a folder"));
            }
        }
        Ok(())
    }
}

impl ChannelSource for FolderSource {
    fn files(&self) -> io::Result<Vec<SourceFile>> {
        let mut found = Vec::new();
        self.walk(&self.root, "", 0, &mut found, &mut Vec::new())?;
        found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }

    fn folders(&self) -> io::Result<Vec<String>> {
        let mut folders = Vec::new();
        for entry in fs::read_dir(&self.root)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            // A link whose target cannot be reached is still a channel.
            let may_be_folder = match fs::metadata(entry.path()) {
                Ok(meta) => meta.is_dir(),
                Err(_) => entry.file_type().map_or(true, |kind| kind.is_dir() || kind.is_symlink()),
            };
            if !name.starts_with('.') && may_be_folder {
                folders.push(name);
            }
        }
        folders.sort_unstable();
        Ok(folders)
    }

    fn files_of(&self, folder: &str) -> io::Result<Vec<SourceFile>> {
        let mut found = Vec::new();
        self.walk(&self.root.join(folder), folder, 1, &mut found, &mut Vec::new())?;
        found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }

    fn skipped(&self) -> io::Result<Vec<String>> {
        let mut skipped = Vec::new();
        self.walk(&self.root, "", 0, &mut Vec::new(), &mut skipped)?;
        skipped.sort_unstable();
        Ok(skipped)
    }

    fn read(&self, path: &str) -> io::Result<Bytes> {
        fs::read(self.root.join(path)).map(Bytes::from)
    }

    fn open_file(&self, path: &str) -> io::Result<Box<dyn OpenFile>> {
        Ok(Box::new(File::open(self.root.join(path))?))
    }

    fn version(&self, path: &str) -> io::Result<Option<FileVersion>> {
        Ok(Some(FileVersion::of(&fs::metadata(self.root.join(path))?)))
    }

    fn event_root(&self) -> Option<&Path> {
        self.has_events.then_some(&self.root)
    }

    fn has_links(&self, folder: &str) -> bool {
        let path = self.root.join(folder);
        fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_symlink()) || has_link(&path, 1)
    }
}

fn has_link(folder: &Path, depth: usize) -> bool {
    let mut entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.any(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => depth < MAX_DEPTH && has_link(&entry.path(), depth + 1),
        kind => kind.is_ok_and(|kind| kind.is_symlink()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_lists_files_sorted_without_dot_files_and_survives_link_loops() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("b/media")).unwrap();
        fs::write(root.path().join("b/media/x.svg"), "x").unwrap();
        fs::write(root.path().join("b/channel.json"), "{}").unwrap();
        fs::write(root.path().join("b/.hidden"), "").unwrap();
        std::os::unix::fs::symlink("nowhere", root.path().join("b/dangling")).unwrap();
        let source = FolderSource::new(root.path());
        let paths: Vec<_> = source.files().unwrap().into_iter().map(|file| file.path).collect();
        assert_eq!(paths, ["b/channel.json", "b/media/x.svg"]);
        assert_eq!(source.folders().unwrap(), ["b"]);
        assert_eq!(source.files_of("b").unwrap(), source.files().unwrap());
        let _socket = std::os::unix::net::UnixListener::bind(root.path().join("b/odd")).unwrap();
        assert_eq!(source.files().unwrap().len(), 2, "nobody waits for a socket's first byte");
        let skipped = ["b/dangling is a dangling link", "b/odd is neither a file nor a folder"];
        assert_eq!(source.skipped().unwrap(), skipped);
        std::os::unix::fs::symlink("..", root.path().join("b/up")).unwrap();
        assert!(source.files().unwrap().len() < 2 * (MAX_DEPTH + 2));
        assert!(source.has_links("b"));
        fs::create_dir_all(root.path().join("c/media")).unwrap();
        std::os::unix::fs::symlink("c", root.path().join("d")).unwrap();
        assert_eq!(["c", "d"].map(|folder| source.has_links(folder)), [false, true]);
    }

    /// `OPS-55`.
    #[test]
    fn a_link_to_a_folder_that_cannot_be_reached_is_listed_and_a_plain_file_is_not() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("README.md"), "").unwrap();
        let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, root.path().join(name)).unwrap();
        link("README.md", "file");
        link("nowhere", "mount");
        link("loop", "loop");
        link("nowhere", ".hidden");
        let source = FolderSource::new(root.path());
        assert_eq!(source.folders().unwrap(), ["loop", "mount"]);
    }

    #[test]
    fn a_partial_read_stops_at_the_end_of_the_file() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("x"), "0123456789").unwrap();
        let source = FolderSource::new(root.path());
        assert_eq!(source.read_part("x", 2, 3).unwrap(), "234");
        assert_eq!(source.read_part("x", 8, 30).unwrap(), "89");
        assert_eq!(source.read_part("x", 80, 30).unwrap(), "");
    }
}
