//! The folder that an encoder writes to. Links are never followed at any step (`LIVE-1`), since they could lead to the
//! worker's own files.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, openat};

use super::files::Stamp;
use super::listing::ByteRange;
use crate::media::hls::MAX_PLAYLISTS;
use crate::media::stream::{is_playlist, path_of};
use crate::source::{ChannelSource, OpenFile, SourceFile};

/// Maximum size of an init section or a key.
pub(super) const MAX_INIT_BYTES: u64 = 1 << 20;
/// Extensions of segments, parts and init sections.
const MEDIA: [&str; 16] = [
    "aac", "ac3", "cmfa", "cmft", "cmfv", "ec3", "m4a", "m4s", "m4v", "mp3", "mp4", "mpg", "ts", "vtt", "webm",
    "webvtt",
];

/// Returns whether a playlist may name this file as a segment, a part or an init section.
pub(super) fn is_media(uri: &str) -> bool {
    path_of(uri).rsplit_once('.').is_some_and(|(_, ending)| MEDIA.contains(&ending.to_ascii_lowercase().as_str()))
}

/// The folder itself may be a link; nothing below it may be.
#[derive(Debug, Clone)]
pub(super) struct EncoderFolder(PathBuf);

impl EncoderFolder {
    pub(super) fn new(root: &Path) -> Self {
        Self(root.to_owned())
    }

    /// Opens a regular file.
    ///
    /// # Errors
    /// If a step of the path is a link, leaves the folder or is missing, or if the file is a folder, a pipe or a
    /// device.
    pub(super) fn open(&self, path: &str) -> io::Result<File> {
        let mut folder = File::open(&self.0)?;
        let (steps, name) = path.rsplit_once('/').unwrap_or(("", path));
        for step in steps.split('/').filter(|_| !steps.is_empty()) {
            folder = open_beneath(&folder, step, OFlags::DIRECTORY)?;
        }
        // Opening a pipe must not wait for its writer.
        let file = open_beneath(&folder, name, OFlags::NONBLOCK)?;
        if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
    }

    /// Returns the stamp of a regular file and the time of its last write, in milliseconds since 1970.
    pub(super) fn stamp(&self, path: &str) -> Option<(Stamp, i64)> {
        Some(Stamp::of_file(&self.open(path).ok()?.metadata().ok()?))
    }

    /// Returns the playlists in a playlist's folder, without itself, in order.
    pub(super) fn playlists_beside(&self, entry: &str) -> Vec<String> {
        let prefix = entry.rsplit_once('/').map_or_else(String::new, |(folder, _)| format!("{folder}/"));
        let files = std::fs::read_dir(self.0.join(&prefix)).into_iter().flatten();
        let names = files.filter_map(|file| Some(format!("{prefix}{}", file.ok()?.file_name().to_str()?)));
        let mut found: Vec<_> = names
            .filter(|path| is_playlist(path) && path != entry && self.open(path).is_ok())
            .take(MAX_PLAYLISTS)
            .collect();
        found.sort();
        found
    }

    /// Reads a small file, or a range of a file, of at most [`MAX_INIT_BYTES`]. Returns its bytes and the time of its
    /// last write, in nanoseconds since 1970.
    ///
    /// # Errors
    /// If it cannot be opened, is empty, is shorter than the range, or is too large.
    pub(super) fn small_file(&self, path: &str, range: Option<ByteRange>) -> io::Result<(Vec<u8>, u64)> {
        let mut file = self.open(path)?;
        let (stamp, _) = Stamp::of_file(&file.metadata()?);
        let (len, from) = range.unwrap_or((stamp.len(), 0));
        if len == 0 || len > MAX_INIT_BYTES {
            return Err(io::ErrorKind::InvalidData.into());
        }
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        file.take(len).read_to_end(&mut bytes)?;
        if bytes.len() as u64 == len { Ok((bytes, stamp.modified())) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    /// Hard-links a file, or copies it if links are not possible across volumes or owners.
    pub(super) fn link(&self, path: &str, to: &Path) -> io::Result<()> {
        let mut file = self.open(path)?;
        if let Some(folder) = to.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let opened = format!("/proc/self/fd/{}", file.as_raw_fd());
        let link = || linkat(CWD, opened.as_str(), CWD, to, AtFlags::SYMLINK_FOLLOW);
        let linked = match link() {
            // Left by a worker that stopped before recording it.
            Err(rustix::io::Errno::EXIST) => {
                std::fs::remove_file(to)?;
                link()
            }
            linked => linked,
        };
        if linked.is_ok() {
            return Ok(());
        }
        let unfinished = to.with_extension("copying");
        let mut copy = File::create(&unfinished)?;
        io::copy(&mut file, &mut copy)?;
        copy.set_modified(file.metadata()?.modified()?)?;
        std::fs::rename(unfinished, to)
    }
}

fn open_beneath(folder: &File, step: &str, flags: OFlags) -> io::Result<File> {
    if matches!(step, "" | "." | "..") {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let flags = flags | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(folder, step, flags, Mode::empty())?.into())
}

/// Reads the parts of unfinished segments.
impl ChannelSource for EncoderFolder {
    /// Parts are never listed: playlists name them.
    fn files(&self) -> io::Result<Vec<SourceFile>> {
        Ok(Vec::new())
    }

    fn read(&self, path: &str) -> io::Result<Bytes> {
        let mut whole = Vec::new();
        self.open(path)?.read_to_end(&mut whole)?;
        Ok(whole.into())
    }

    fn open_file(&self, path: &str) -> io::Result<Box<dyn OpenFile>> {
        Ok(Box::new(self.open(path)?))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_not_followed_at_any_step() {
        let (secrets, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(secrets.path().join("admin.token"), "secret").unwrap();
        fs::create_dir_all(folder.path().join("v0/deep")).unwrap();
        fs::write(folder.path().join("v0/deep/a.ts"), "media").unwrap();
        symlink(secrets.path(), folder.path().join("linked")).unwrap();
        symlink(secrets.path(), folder.path().join("v0/linked")).unwrap();
        symlink(secrets.path().join("admin.token"), folder.path().join("a.ts")).unwrap();
        symlink(folder.path().join("v0"), folder.path().join("v1")).unwrap();
        let at = folder.path().join("itself");
        symlink(folder.path(), &at).unwrap();
        let encoder = EncoderFolder::new(&at);
        assert_eq!(&encoder.read("v0/deep/a.ts").unwrap()[..], b"media");
        let ways = [
            "linked/admin.token",
            "v0/linked/admin.token",
            "a.ts",
            "v1/deep/a.ts",
            "../x",
            "v0/../v0/deep/a.ts",
            "v0",
            "",
        ];
        for path in ways {
            assert!(encoder.open(path).is_err() && encoder.stamp(path).is_none(), "{path}");
            assert!(encoder.link(path, &secrets.path().join("to.ts")).is_err(), "{path}");
        }
        let to = secrets.path().join("kept/1.ts");
        encoder.link("v0/deep/a.ts", &to).unwrap();
        encoder.link("v0/deep/a.ts", &to).unwrap();
        assert_eq!(fs::read(&to).unwrap(), b"media");
    }

    #[test]
    fn a_pipe_is_refused_without_waiting_for_its_writer() {
        let folder = tempfile::tempdir().unwrap();
        let status = std::process::Command::new("mkfifo").arg(folder.path().join("a.ts")).status().unwrap();
        assert!(status.success() && EncoderFolder::new(folder.path()).open("a.ts").is_err());
    }

    #[test]
    fn media_files_are_recognised_by_their_extension() {
        assert!(is_media("v0/seg_1.m4s") && is_media("a.TS") && is_media("a.ts?v=1.2") && is_media("init.mp4"));
        assert!(!is_media("admin.token") && !is_media("channel.sqlite") && !is_media("ts") && !is_media("a.ts.json"));
    }
}
