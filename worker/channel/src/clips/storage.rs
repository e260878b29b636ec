//! The folder in which clips are kept: `<channel>/<uuid>/`, each written whole or not at all. Where workers share a
//! bucket, each clip is there too, and the folder of a worker holds those that were cut or asked for here.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use m3u8_rs::Playlist;
use parking_lot::Mutex;
use touchline_disk::{Disk, NoSpace, Purpose};
use touchline_domain::clips::PLAYLIST;
use uuid::Uuid;

use super::job::Cut;
use crate::bucket::Bucket;
use crate::source::{ChannelSource, FolderSource, SourceFile};

/// What a folder is called while it is written.
const UNFINISHED: &str = ".begun";

/// The folder in which clips are kept; cheap to clone.
#[derive(Debug, Clone)]
pub struct ClipStorage {
    folder: PathBuf,
    source: Arc<dyn ChannelSource>,
    disk: Disk,
    bucket: Option<Bucket>,
    /// Held while clips are fetched.
    fetching: Arc<Mutex<()>>,
}

impl ClipStorage {
    /// Clips in `folder`, made when the first one is.
    pub fn new(folder: PathBuf, disk: Disk, bucket: Option<Bucket>) -> Self {
        Self { source: Arc::new(FolderSource::new(&folder)), folder, disk, bucket, fetching: Arc::default() }
    }

    /// Whether there is space for `bytes` of a clip.
    ///
    /// # Errors
    /// When there is not.
    pub fn admit(&self, bytes: u64) -> Result<(), NoSpace> {
        self.disk.admit(Purpose::Clips, &self.folder, bytes)
    }

    /// Notes that a clip could not be written for want of space.
    pub(super) fn note_full(&self) {
        self.disk.note(Purpose::Clips, &self.folder, false, touchline_disk::free(&self.folder));
    }

    /// Whether clips find no space at the moment.
    pub(super) fn is_full(&self) -> bool {
        self.disk.refused().iter().any(|refused| refused.purpose == Purpose::Clips && refused.now)
    }

    /// Whether a clip has files; those of the bucket are fetched. It blocks.
    ///
    /// # Errors
    /// The bucket does not say.
    pub fn holds(&self, channel_key: &str, uuid: &str) -> io::Result<bool> {
        if self.file(channel_key, uuid, PLAYLIST).is_some() {
            return Ok(true);
        }
        let Some(bucket) = &self.bucket else { return Ok(false) };
        let fetched = self.fetch(bucket, channel_key, uuid);
        if let Err(error) = &fetched {
            tracing::warn!(%error, "a clip cannot be fetched from the bucket");
        }
        fetched
    }

    /// Has the files of a clip here, if there are any.
    pub async fn fetched(&self, channel_key: &str, uuid: &str) {
        if self.bucket.is_none() || self.file(channel_key, uuid, PLAYLIST).is_some() {
            return;
        }
        let (storage, key, uuid) = (self.clone(), channel_key.to_owned(), uuid.to_owned());
        let _had = tokio::task::spawn_blocking(move || storage.holds(&key, &uuid)).await;
    }

    /// Writes a clip's files out of the bucket; whether it has any.
    fn fetch(&self, bucket: &Bucket, channel_key: &str, uuid: &str) -> io::Result<bool> {
        let Some(folder) = self.place(channel_key, uuid) else { return Ok(false) };
        let _alone = self.fetching.lock();
        if folder.join(PLAYLIST).is_file() {
            return Ok(true);
        }
        let name = format!("clips/{channel_key}/{uuid}");
        let files = bucket.list(&name)?;
        // It is put last: without it the rest is not whole yet.
        if !files.iter().any(|file| file.path == PLAYLIST) {
            return Ok(false);
        }
        let begun = begun(&folder);
        if begun.exists() {
            fs::remove_dir_all(&begun)?;
        }
        fs::create_dir_all(&begun)?;
        for file in files.iter().filter(|file| !file.path.contains('/')) {
            self.admit(file.len)?;
            fs::write(begun.join(&file.path), bucket.get(&format!("{name}/{}", file.path))?)?;
        }
        fs::rename(&begun, &folder)?;
        Ok(true)
    }

    /// Puts a clip's files into the bucket, its playlist last.
    fn share(&self, bucket: &Bucket, channel_key: &str, uuid: &str, folder: &Path) -> io::Result<()> {
        let mut names = Vec::new();
        for entry in fs::read_dir(folder)? {
            names.extend(entry?.file_name().into_string());
        }
        names.sort_by_key(|name| name == PLAYLIST);
        for name in names {
            bucket.put(&format!("clips/{channel_key}/{uuid}/{name}"), fs::read(folder.join(&name))?)?;
        }
        Ok(())
    }

    /// Where its files are read from.
    pub fn source(&self) -> &Arc<dyn ChannelSource> {
        &self.source
    }

    /// Writes a clip. `read` gives a file of the recording.
    ///
    /// # Errors
    /// When a file cannot be read or written; nothing is left then.
    pub fn put(
        &self,
        channel_key: &str,
        uuid: &str,
        cut: &Cut,
        read: impl Fn(&str) -> io::Result<bytes::Bytes>,
    ) -> io::Result<()> {
        let folder = self.place(channel_key, uuid).ok_or(io::ErrorKind::InvalidInput)?;
        if folder.join(PLAYLIST).is_file() {
            return self.bucket.as_ref().map_or(Ok(()), |bucket| self.share(bucket, channel_key, uuid, &folder));
        }
        let begun = begun(&folder);
        let written =
            self.write(&begun, cut, read).and_then(|()| fs::rename(&begun, &folder)).and_then(|()| sync(&folder));
        if written.is_err() {
            // What is left of it is removed when the next one is written, or by housekeeping.
            let _ = fs::remove_dir_all(&begun);
        }
        written?;
        self.bucket.as_ref().map_or(Ok(()), |bucket| self.share(bucket, channel_key, uuid, &folder))
    }

    /// A file of a clip; nothing when there is none of this name.
    pub fn file(&self, channel_key: &str, uuid: &str, name: &str) -> Option<SourceFile> {
        let is_name = name.split('.').count() == 2
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.');
        let path = self.place(channel_key, uuid)?.join(Some(name).filter(|_| is_name)?);
        let facts = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
        // A clip is never written twice, so its length is enough to tell one state of a file from another.
        Some(SourceFile { path: format!("{channel_key}/{uuid}/{name}"), len: facts.len(), stamp: 1 })
    }

    /// The files of a clip that make one file when joined, and what that is called.
    pub fn joined(&self, channel_key: &str, uuid: &str) -> Option<(Vec<SourceFile>, &'static str)> {
        let text = self.source.read(&format!("{channel_key}/{uuid}/{PLAYLIST}")).ok()?;
        let Ok(Playlist::MediaPlaylist(playlist)) = m3u8_rs::parse_playlist_res(&text) else { return None };
        let map = playlist.segments.first()?.map.as_ref();
        let name = if map.is_some() { "clip.mp4" } else { "clip.ts" };
        let parts = map.map(|map| &map.uri).into_iter().chain(playlist.segments.iter().map(|segment| &segment.uri));
        Some((parts.map(|part| self.file(channel_key, uuid, part)).collect::<Option<_>>()?, name))
    }

    /// Removes a clip, whole or begun, here and from the bucket; one that is gone already is fine. It blocks.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(&self, channel_key: &str, uuid: &str) -> io::Result<()> {
        let Some(kept) = self.place(channel_key, uuid) else { return Ok(()) };
        for folder in [begun(&kept), kept] {
            match fs::remove_dir_all(folder) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        if let Some(bucket) = &self.bucket {
            let name = format!("clips/{channel_key}/{uuid}");
            for file in bucket.list(&name)? {
                bucket.remove(&format!("{name}/{}", file.path))?;
            }
        }
        Ok(())
    }

    /// Removes a clip, for whoever must not block.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub async fn removed(&self, channel_key: &str, uuid: &str) -> io::Result<()> {
        let (storage, key, uuid) = (self.clone(), channel_key.to_owned(), uuid.to_owned());
        tokio::task::spawn_blocking(move || storage.remove(&key, &uuid)).await.map_err(io::Error::other)?
    }

    /// The clips of which there are files, whole or begun; what else lies there is not a clip's.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn uuids(&self, channel_key: &str) -> io::Result<Vec<String>> {
        let entries = match fs::read_dir(self.folder.join(channel_key)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            entries => Some(entries?),
        };
        let mut uuids = Vec::new();
        if let Some(bucket) = &self.bucket {
            let files = bucket.list(&format!("clips/{channel_key}"))?;
            uuids.extend(
                files
                    .iter()
                    .filter_map(|file| file.path.split('/').next())
                    .filter(|uuid| is_uuid(uuid))
                    .map(str::to_owned),
            );
            uuids.dedup();
        }
        for entry in entries.into_iter().flatten() {
            let name = entry?.file_name();
            let uuid = name.to_str().map(|name| name.strip_suffix(UNFINISHED).unwrap_or(name));
            uuids.extend(uuid.filter(|uuid| is_uuid(uuid)).map(str::to_owned));
        }
        Ok(uuids)
    }

    fn write(&self, begun: &Path, cut: &Cut, read: impl Fn(&str) -> io::Result<bytes::Bytes>) -> io::Result<()> {
        if begun.exists() {
            fs::remove_dir_all(begun)?;
        }
        self.admit(0)?;
        fs::create_dir_all(begun)?;
        let put = |name: &str, bytes: &[u8]| {
            self.admit(bytes.len() as u64)?;
            let mut file = File::create(begun.join(name))?;
            file.write_all(bytes)?;
            file.sync_all()
        };
        for (source, name) in &cut.files {
            put(name, &read(source)?)?;
        }
        let mut text = Vec::new();
        cut.playlist.write_to(&mut text)?;
        put(PLAYLIST, &text)?;
        File::open(begun)?.sync_all()
    }

    /// The folder of a clip. Nothing but a key and a uuid becomes part of a path.
    fn place(&self, channel_key: &str, uuid: &str) -> Option<PathBuf> {
        let is_key = !channel_key.is_empty()
            && channel_key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
        (is_key && is_uuid(uuid)).then(|| self.folder.join(channel_key).join(uuid))
    }
}

/// Where a clip is written before it is whole.
fn begun(clip_folder: &Path) -> PathBuf {
    let mut name = clip_folder.as_os_str().to_owned();
    name.push(UNFINISHED);
    name.into()
}

fn is_uuid(text: &str) -> bool {
    Uuid::try_parse(text).is_ok_and(|uuid| uuid.to_string() == text)
}

fn sync(clip_folder: &Path) -> io::Result<()> {
    clip_folder.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}
