//! The folder of clips: `<channel>/<uuid>/`, each written atomically. With a bucket, every clip is in the bucket as
//! well, and a worker's folder caches the clips that were cut or requested there.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use m3u8_rs::Playlist;
use parking_lot::Mutex;
use touchline_disk::{Disk, NoSpace, Purpose};
use touchline_domain::clips::PLAYLIST;
use uuid::Uuid;

use super::job::ClipFiles;
use crate::bucket::Bucket;
use crate::media::stream::is_continuous;
use crate::source::{ChannelSource, FolderSource, SourceFile};

/// Extension of a folder that is being written.
const UNFINISHED: &str = ".begun";

/// The folder of clips; cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct ClipStorage {
    folder: PathBuf,
    source: Arc<dyn ChannelSource>,
    disk: Disk,
    bucket: Option<Bucket>,
    /// Locked during downloads from the bucket.
    fetching: Arc<Mutex<()>>,
}

impl ClipStorage {
    /// Stores clips in `folder`, which is created with the first clip.
    pub(crate) fn new(folder: PathBuf, disk: Disk, bucket: Option<Bucket>) -> Self {
        Self { source: Arc::new(FolderSource::new(&folder)), folder, disk, bucket, fetching: Arc::default() }
    }

    /// Checks that `bytes` of a clip fit on the disk.
    ///
    /// # Errors
    /// Fails when they do not fit.
    pub(crate) fn admit(&self, bytes: u64) -> Result<(), NoSpace> {
        self.disk.admit(Purpose::Clips, &self.folder, bytes)
    }

    /// Records that a clip did not fit on the disk.
    pub(super) fn note_full(&self) {
        self.disk.note(Purpose::Clips, &self.folder, false, touchline_disk::free(&self.folder));
    }

    /// Whether clips currently do not fit on the disk.
    pub(super) fn is_full(&self) -> bool {
        self.disk.refused().iter().any(|refused| refused.purpose == Purpose::Clips && refused.now)
    }

    /// Whether a clip has files, downloading them from the bucket if necessary. Blocks.
    ///
    /// # Errors
    /// Fails when the bucket does not answer.
    pub(crate) fn has_files(&self, channel_key: &str, uuid: &str) -> io::Result<bool> {
        if self.file(channel_key, uuid, PLAYLIST).is_some() {
            return Ok(true);
        }
        let Some(bucket) = &self.bucket else { return Ok(false) };
        let fetched = self.fetch(bucket, channel_key, uuid);
        if let Err(error) = &fetched {
            tracing::warn!(%error, "cannot download a clip from the bucket");
        }
        fetched
    }

    /// Makes sure that a clip's files, if any, are in the folder.
    pub(crate) async fn fetched(&self, channel_key: &str, uuid: &str) {
        if self.bucket.is_none() || self.file(channel_key, uuid, PLAYLIST).is_some() {
            return;
        }
        let (storage, key, uuid) = (self.clone(), channel_key.to_owned(), uuid.to_owned());
        let _has_files = tokio::task::spawn_blocking(move || storage.has_files(&key, &uuid)).await;
    }

    /// Downloads a clip from the bucket. Returns whether it has files.
    fn fetch(&self, bucket: &Bucket, channel_key: &str, uuid: &str) -> io::Result<bool> {
        let Some(folder) = self.clip_folder(channel_key, uuid) else { return Ok(false) };
        let _alone = self.fetching.lock();
        if folder.join(PLAYLIST).is_file() {
            return Ok(true);
        }
        let name = format!("clips/{channel_key}/{uuid}");
        let files = bucket.list(&name)?;
        // The playlist is uploaded last: without it, the clip is incomplete.
        if !files.iter().any(|file| file.path == PLAYLIST) {
            return Ok(false);
        }
        let unfinished = unfinished(&folder);
        if unfinished.exists() {
            fs::remove_dir_all(&unfinished)?;
        }
        fs::create_dir_all(&unfinished)?;
        for file in files.iter().filter(|file| !file.path.contains('/')) {
            self.admit(file.len)?;
            fs::write(unfinished.join(&file.path), bucket.get(&format!("{name}/{}", file.path))?)?;
        }
        fs::rename(&unfinished, &folder)?;
        Ok(true)
    }

    /// Uploads a clip to the bucket, with its playlist last.
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

    pub(crate) fn source(&self) -> &Arc<dyn ChannelSource> {
        &self.source
    }

    /// Writes a clip. `read` returns a file of the recording.
    ///
    /// # Errors
    /// Fails when a file cannot be read or written, and leaves nothing behind.
    pub(crate) fn put(
        &self,
        channel_key: &str,
        uuid: &str,
        cut: &ClipFiles,
        read: impl Fn(&str) -> io::Result<bytes::Bytes>,
    ) -> io::Result<()> {
        let folder = self.clip_folder(channel_key, uuid).ok_or(io::ErrorKind::InvalidInput)?;
        if folder.join(PLAYLIST).is_file() {
            return self.bucket.as_ref().map_or(Ok(()), |bucket| self.share(bucket, channel_key, uuid, &folder));
        }
        let unfinished = unfinished(&folder);
        let written = self
            .write(&unfinished, cut, read)
            .and_then(|()| fs::rename(&unfinished, &folder))
            .and_then(|()| sync(&folder));
        if written.is_err() {
            // Leftovers are removed by the next write, or by housekeeping.
            let _ = fs::remove_dir_all(&unfinished);
        }
        written?;
        self.bucket.as_ref().map_or(Ok(()), |bucket| self.share(bucket, channel_key, uuid, &folder))
    }

    /// A file of a clip, if it exists.
    pub(crate) fn file(&self, channel_key: &str, uuid: &str, name: &str) -> Option<SourceFile> {
        let is_name = name.split('.').count() == 2
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.');
        let path = self.clip_folder(channel_key, uuid)?.join(Some(name).filter(|_| is_name)?);
        let facts = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
        // A clip is never rewritten, so a constant stamp suffices.
        Some(SourceFile { path: format!("{channel_key}/{uuid}/{name}"), len: facts.len(), stamp: 1 })
    }

    /// Files of a clip that form one file when joined, and that file's name. `None` for a clip across an encoder's
    /// restart.
    pub(crate) fn as_one_file(&self, channel_key: &str, uuid: &str) -> Option<(Vec<SourceFile>, &'static str)> {
        let text = self.source.read(&format!("{channel_key}/{uuid}/{PLAYLIST}")).ok()?;
        let Ok(Playlist::MediaPlaylist(playlist)) = m3u8_rs::parse_playlist_res(&text) else { return None };
        is_continuous(&playlist.segments).then_some(())?;
        let map = playlist.segments.first()?.map.as_ref();
        let name = if map.is_some() { "clip.mp4" } else { "clip.ts" };
        let parts = map.map(|map| &map.uri).into_iter().chain(playlist.segments.iter().map(|segment| &segment.uri));
        Some((parts.map(|part| self.file(channel_key, uuid, part)).collect::<Option<_>>()?, name))
    }

    /// Removes a clip, complete or unfinished, from folder and bucket. A missing clip is not an error. Blocks.
    ///
    /// # Errors
    /// Fails when it cannot be removed.
    pub(crate) fn remove(&self, channel_key: &str, uuid: &str) -> io::Result<()> {
        let Some(folder_of_clip) = self.clip_folder(channel_key, uuid) else { return Ok(()) };
        for folder in [unfinished(&folder_of_clip), folder_of_clip] {
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

    /// Removes a clip without blocking.
    ///
    /// # Errors
    /// Fails when it cannot be removed.
    pub(crate) async fn removed(&self, channel_key: &str, uuid: &str) -> io::Result<()> {
        let (storage, key, uuid) = (self.clone(), channel_key.to_owned(), uuid.to_owned());
        tokio::task::spawn_blocking(move || storage.remove(&key, &uuid)).await.map_err(io::Error::other)?
    }

    /// Ids of the clips with files, complete or unfinished. Other entries of the folder are ignored.
    ///
    /// # Errors
    /// Fails when the folder cannot be read.
    pub(crate) fn uuids(&self, channel_key: &str) -> io::Result<Vec<String>> {
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

    fn write(
        &self,
        unfinished: &Path,
        cut: &ClipFiles,
        read: impl Fn(&str) -> io::Result<bytes::Bytes>,
    ) -> io::Result<()> {
        if unfinished.exists() {
            fs::remove_dir_all(unfinished)?;
        }
        self.admit(0)?;
        fs::create_dir_all(unfinished)?;
        let put = |name: &str, bytes: &[u8]| {
            self.admit(bytes.len() as u64)?;
            let mut file = File::create(unfinished.join(name))?;
            file.write_all(bytes)?;
            file.sync_all()
        };
        for (source, name) in &cut.files {
            put(name, &read(source)?)?;
        }
        let mut text = Vec::new();
        cut.playlist.write_to(&mut text)?;
        put(PLAYLIST, &text)?;
        File::open(unfinished)?.sync_all()
    }

    /// Folder of a clip. Only valid keys and uuids become part of a path.
    fn clip_folder(&self, channel_key: &str, uuid: &str) -> Option<PathBuf> {
        let is_key = !channel_key.is_empty()
            && channel_key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
        (is_key && is_uuid(uuid)).then(|| self.folder.join(channel_key).join(uuid))
    }
}

/// Folder of an unfinished clip.
fn unfinished(clip_folder: &Path) -> PathBuf {
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
