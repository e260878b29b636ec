//! All broadcasts of the worker, and the task that reads the folders of live ones.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;
use touchline_disk::{Disk, Purpose};
use touchline_protocol::ambient::SharedClock;

use super::encoder_folder::EncoderFolder;
use super::event::{Broadcast, EARLY_MS};
use super::files;
use crate::media::Stream;
use crate::media::index::{Feed, Ingest};
use crate::source::{ChannelSource, FolderSource};

const READ_INTERVAL: Duration = Duration::from_millis(200);
const LOW_LATENCY_INTERVAL: Duration = Duration::from_millis(50);
/// Time after the end of an event during which its folder is still read, since the last segment may be unfinished.
const GRACE_MS: i64 = 5_000;
/// Interval for measuring the recordings and closing unwatched broadcasts.
const MEASURE_INTERVAL: Duration = Duration::from_secs(300);
/// Default limit on the size of a channel's recordings.
pub const RECORDINGS_BYTES: u64 = 100 << 30;

/// Folders and limits of broadcasts.
#[derive(Debug, Clone)]
pub struct BroadcastOptions {
    /// Encoders write to `{live}/{channel}/{folder}`.
    pub live: PathBuf,
    /// Recordings are stored in `{recordings}/{channel}/{medium}`.
    pub recordings: PathBuf,
    /// Limit on the size of the recordings of a channel without its own, in bytes.
    pub recordings_bytes: u64,
}

/// A channel's recordings.
#[derive(Debug, Default)]
struct Recordings {
    /// Their size in bytes.
    used: u64,
    /// Whether the last segment was refused.
    is_full: bool,
}

/// All broadcasts of the worker.
#[derive(Debug)]
pub struct Broadcasts {
    options: BroadcastOptions,
    disk: Disk,
    clock: SharedClock,
    open: Mutex<HashMap<String, Arc<Broadcast>>>,
    /// Recordings by channel key.
    recordings: Mutex<HashMap<String, Recordings>>,
    recorded_files: Arc<dyn ChannelSource>,
    parts: Mutex<HashMap<PathBuf, Arc<dyn ChannelSource>>>,
}

impl Broadcasts {
    /// Opens no broadcast yet.
    pub fn new(options: BroadcastOptions, disk: Disk, clock: SharedClock) -> Self {
        let recorded_files = Arc::new(FolderSource::new(&options.recordings));
        Self {
            options,
            disk,
            clock,
            open: Mutex::default(),
            recordings: Mutex::default(),
            recorded_files,
            parts: Mutex::default(),
        }
    }

    /// Returns the broadcast of a medium.
    pub fn of(&self, ingest: &Ingest) -> Arc<Broadcast> {
        let mut open = self.open.lock();
        let broadcast = open
            .entry(base_of(ingest))
            .or_insert_with_key(|base| Arc::new(Broadcast::open(&self.options.recordings, base.clone())));
        Arc::clone(broadcast)
    }

    /// Returns the folder that a medium's encoder writes to.
    pub fn folder_of(&self, ingest: &Ingest) -> PathBuf {
        self.options.live.join(&ingest.channel_key).join(&ingest.folder)
    }

    /// Returns the stream of a feed after the event: its files, or the recording.
    pub fn stream_of(&self, feed: &Feed) -> Option<Arc<Stream>> {
        match feed {
            Feed::Files(stream) => Some(Arc::clone(stream)),
            Feed::Ingest(ingest) => self.of(ingest).stream(ingest),
            Feed::Pull(_) => None,
        }
    }

    /// Returns the source of recorded files.
    pub fn recorded_files(&self) -> &Arc<dyn ChannelSource> {
        &self.recorded_files
    }

    /// Returns the source of an encoder's parts.
    pub fn parts_in(&self, folder: &Path) -> Arc<dyn ChannelSource> {
        let mut parts = self.parts.lock();
        Arc::clone(parts.entry(folder.to_owned()).or_insert_with(|| Arc::new(EncoderFolder::new(folder))))
    }

    /// Reads the folders of live broadcasts until cancelled. `media` returns every medium with an encoder.
    pub async fn run(self: Arc<Self>, media: impl Fn() -> Vec<Arc<Ingest>>, cancel: CancellationToken) {
        let (mut next_measured, mut created) = (tokio::time::Instant::now(), Vec::new());
        let mut interval = Duration::ZERO;
        while cancel.run_until_cancelled(tokio::time::sleep(interval)).await.is_some() {
            let now = tokio::time::Instant::now();
            let is_measured = now >= next_measured;
            if is_measured {
                next_measured = now + MEASURE_INTERVAL;
            }
            let (this, media) = (Arc::clone(&self), media());
            let passed = tokio::task::spawn_blocking(move || {
                if is_measured {
                    this.measure(&media);
                }
                this.make_folders(&media, &mut created);
                (this.pass(&media), created)
            });
            match passed.await {
                Ok((has_parts, folders)) => {
                    interval = if has_parts { LOW_LATENCY_INTERVAL } else { READ_INTERVAL };
                    created = folders;
                }
                Err(error) => {
                    tracing::error!(%error, "the encoders' folders could not be read");
                    created = Vec::new();
                }
            }
        }
    }

    /// Reads the folders of all live broadcasts once. Returns whether any has parts.
    pub fn pass(&self, media: &[Arc<Ingest>]) -> bool {
        let now_ms = self.clock.now_ms();
        let mut has_parts = false;
        for ingest in media.iter().filter(|ingest| is_on_air(ingest, now_ms)) {
            let broadcast = self.of(ingest);
            broadcast.look(ingest, &self.folder_of(ingest), now_ms, &|bytes| self.may_record(ingest, bytes));
            has_parts |= broadcast.has_parts();
        }
        has_parts
    }

    /// Creates the folders of upcoming events, since encoders do not create them.
    fn make_folders(&self, media: &[Arc<Ingest>], created: &mut Vec<PathBuf>) {
        let now_s = self.clock.now_s();
        for ingest in media.iter().filter(|ingest| now_s < ingest.ends_at) {
            let folder = self.folder_of(ingest);
            if created.contains(&folder) {
                continue;
            }
            if let Err(error) = std::fs::create_dir_all(&folder) {
                tracing::warn!(%error, folder = %folder.display(), "an encoder's folder cannot be created");
            }
            created.push(folder);
        }
    }

    /// Returns whether that many more bytes of a channel may be recorded. Logs when its recording stops and resumes.
    fn may_record(&self, ingest: &Ingest, bytes: u64) -> bool {
        let cap = ingest.recordings_bytes.unwrap_or(self.options.recordings_bytes);
        let has_space = self.disk.admit(Purpose::Recordings, &self.options.recordings, bytes).is_ok();
        let mut recordings = self.recordings.lock();
        let Recordings { used, is_full } = recordings.entry(ingest.channel_key.clone()).or_default();
        let is_admitted = has_space && used.saturating_add(bytes) <= cap;
        if is_admitted {
            *used += bytes;
        }
        let was_full = std::mem::replace(is_full, !is_admitted);
        if !is_admitted && !was_full {
            let folder = self.options.recordings.display();
            tracing::error!(
                channel = ingest.channel_key, medium = ingest.media_id, used, cap, %folder,
                "the channel's recordings have reached its limit (recordings_bytes), or the disk is full: recording \
                 stops and live playback continues; remove recordings or raise the limit"
            );
        } else if is_admitted && was_full {
            tracing::info!(channel = ingest.channel_key, medium = ingest.media_id, "recording resumes");
        }
        is_admitted
    }

    /// Measures the recordings and closes unwatched broadcasts, which are reopened on demand.
    fn measure(&self, media: &[Arc<Ingest>]) {
        let now_ms = self.clock.now_ms();
        let on_air: Vec<_> =
            media.iter().filter(|ingest| is_on_air(ingest, now_ms)).map(|ingest| base_of(ingest)).collect();
        self.open.lock().retain(|base, broadcast| on_air.contains(base) || Arc::strong_count(broadcast) > 1);
        let keys: HashSet<&str> = media.iter().map(|ingest| ingest.channel_key.as_str()).collect();
        for key in keys {
            let used = files::size(&self.options.recordings.join(key));
            self.recordings.lock().entry(key.to_owned()).or_default().used = used;
        }
    }
}

/// Returns the folder of a medium's recording, relative to the recordings folder.
fn base_of(ingest: &Ingest) -> String {
    format!("{}/{}/", ingest.channel_key, ingest.media_id)
}

fn is_on_air(ingest: &Ingest, now_ms: i64) -> bool {
    now_ms >= ingest.starts_at * 1000 - EARLY_MS && now_ms <= ingest.ends_at * 1000 + GRACE_MS
}

#[cfg(test)]
mod tests {
    use touchline_protocol::ambient::ManualClock;

    use super::*;

    fn ingest(channel_key: &str, recordings_bytes: Option<u64>) -> Ingest {
        Ingest {
            channel_key: channel_key.to_owned(),
            media_id: 1,
            folder: "court".to_owned(),
            entry: "master.m3u8".to_owned(),
            window_s: 30,
            silence_s: 60,
            is_recorded: true,
            recordings_bytes,
            starts_at: 0,
            ends_at: 9,
        }
    }

    /// `LIVE-3`
    #[test]
    fn a_channel_with_full_recordings_stops_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let recordings = folder.path().join("recordings");
        let options = BroadcastOptions { live: folder.path().join("live"), recordings, recordings_bytes: 10 };
        let broadcasts = Broadcasts::new(options.clone(), Disk::default(), ManualClock::at_ms(0));
        let [meadow, valley, hill] = [("meadow", None), ("valley", None), ("hill", Some(15))];
        let [meadow, valley, hill] = [meadow, valley, hill].map(|(key, own)| Arc::new(ingest(key, own)));
        assert!(broadcasts.may_record(&meadow, 10) && !broadcasts.may_record(&meadow, 1));
        assert!(broadcasts.may_record(&valley, 10), "another channel has space of its own");
        assert!(broadcasts.may_record(&hill, 15) && !broadcasts.may_record(&hill, 1), "a limit of its own");
        // What is on the disk counts, and that of others does not.
        std::fs::create_dir_all(options.recordings.join("valley/1")).unwrap();
        std::fs::write(options.recordings.join("valley/1/seg_0.m4s"), "0123456789").unwrap();
        broadcasts.measure(&[Arc::clone(&meadow), Arc::clone(&valley)]);
        assert!(broadcasts.may_record(&meadow, 10) && !broadcasts.may_record(&valley, 1));
    }
}
