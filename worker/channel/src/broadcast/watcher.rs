//! Every broadcast of the worker, and the task that looks at the folders of what is on the air.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
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

/// How often folders are looked at.
const EVERY: Duration = Duration::from_millis(200);
/// How often the folders of low-latency streams are.
const EVERY_WITH_PARTS: Duration = Duration::from_millis(50);
/// For how long a broadcast that is over is looked at: its last segment may be being written, milliseconds.
const LATE_MS: i64 = 5_000;
/// How often the recordings are measured, and what nobody watches is let go.
const MEASURED_EVERY: Duration = Duration::from_secs(300);
/// Bytes of all recordings, unless the operator says otherwise.
pub const RECORDINGS_BYTES: u64 = 100 << 30;

/// Where broadcasts come from and are kept.
#[derive(Debug, Clone)]
pub struct BroadcastOptions {
    /// Encoders write into `{live}/{channel}/{folder}`.
    pub live: PathBuf,
    /// Recordings are in `{recordings}/{channel}/{medium}`.
    pub recordings: PathBuf,
    /// Bytes that all recordings may have.
    pub recordings_bytes: u64,
}

/// Every broadcast of the worker.
#[derive(Debug)]
pub struct Broadcasts {
    options: BroadcastOptions,
    disk: Disk,
    clock: SharedClock,
    open: Mutex<HashMap<String, Arc<Broadcast>>>,
    /// Bytes of all recordings.
    used: AtomicU64,
    is_full: AtomicBool,
    kept: Arc<dyn ChannelSource>,
    parts: Mutex<HashMap<PathBuf, Arc<dyn ChannelSource>>>,
}

impl Broadcasts {
    /// Every broadcast that is kept there, none of them read yet.
    pub fn new(options: BroadcastOptions, disk: Disk, clock: SharedClock) -> Self {
        let kept = Arc::new(FolderSource::new(&options.recordings));
        Self {
            options,
            disk,
            clock,
            open: Mutex::default(),
            used: AtomicU64::default(),
            is_full: AtomicBool::default(),
            kept,
            parts: Mutex::default(),
        }
    }

    /// The broadcast of a medium.
    pub fn of(&self, ingest: &Ingest) -> Arc<Broadcast> {
        let mut open = self.open.lock();
        let broadcast = open
            .entry(base_of(ingest))
            .or_insert_with_key(|base| Arc::new(Broadcast::open(&self.options.recordings, base.clone())));
        Arc::clone(broadcast)
    }

    /// The folder that the encoder of a medium writes into.
    pub fn folder_of(&self, ingest: &Ingest) -> PathBuf {
        self.options.live.join(&ingest.channel_key).join(&ingest.folder)
    }

    /// What is served of a feed once it is over: the stream, or what was recorded of it by now.
    pub fn stream_of(&self, feed: &Feed) -> Option<Arc<Stream>> {
        match feed {
            Feed::Files(stream) => Some(Arc::clone(stream)),
            Feed::Ingest(ingest) => self.of(ingest).stream(ingest),
            Feed::Pull(_) => None,
        }
    }

    /// Where the files of recordings are read from.
    pub fn kept(&self) -> &Arc<dyn ChannelSource> {
        &self.kept
    }

    /// Where the parts of an encoder are read from.
    pub fn parts_in(&self, folder: &Path) -> Arc<dyn ChannelSource> {
        let mut parts = self.parts.lock();
        Arc::clone(parts.entry(folder.to_owned()).or_insert_with(|| Arc::new(EncoderFolder::new(folder))))
    }

    /// Looks at the folders of what is on the air, until it is cancelled. `media` gives every medium that an encoder
    /// writes.
    pub async fn run(self: Arc<Self>, media: impl Fn() -> Vec<Arc<Ingest>>, cancel: CancellationToken) {
        let (mut next_measured, mut made) = (tokio::time::Instant::now(), Vec::new());
        let mut every = Duration::ZERO;
        while cancel.run_until_cancelled(tokio::time::sleep(every)).await.is_some() {
            let now = tokio::time::Instant::now();
            let is_measured = now >= next_measured;
            if is_measured {
                next_measured = now + MEASURED_EVERY;
            }
            let (this, media) = (Arc::clone(&self), media());
            let passed = tokio::task::spawn_blocking(move || {
                if is_measured {
                    this.measure(&media);
                }
                this.make_folders(&media, &mut made);
                (this.pass(&media), made)
            });
            match passed.await {
                Ok((has_parts, known)) => {
                    every = if has_parts { EVERY_WITH_PARTS } else { EVERY };
                    made = known;
                }
                Err(error) => {
                    tracing::error!(%error, "the folders of encoders could not be looked at");
                    made = Vec::new();
                }
            }
        }
    }

    /// One look at everything that is on the air; whether any of it has parts.
    pub fn pass(&self, media: &[Arc<Ingest>]) -> bool {
        let now_ms = self.clock.now_ms();
        let mut has_parts = false;
        for ingest in media.iter().filter(|ingest| is_on_air(ingest, now_ms)) {
            let broadcast = self.of(ingest);
            broadcast.look(ingest, &self.folder_of(ingest), now_ms, &|bytes| self.keeps(ingest, bytes));
            has_parts |= broadcast.has_parts();
        }
        has_parts
    }

    /// An encoder makes no folder: those of what is to come are made for it.
    fn make_folders(&self, media: &[Arc<Ingest>], made: &mut Vec<PathBuf>) {
        let now_s = self.clock.now_s();
        for ingest in media.iter().filter(|ingest| now_s < ingest.ends_at) {
            let folder = self.folder_of(ingest);
            if made.contains(&folder) {
                continue;
            }
            if let Err(error) = std::fs::create_dir_all(&folder) {
                tracing::warn!(%error, folder = %folder.display(), "the folder of an encoder cannot be made");
            }
            made.push(folder);
        }
    }

    /// Whether so many bytes more are kept for a recording. The first refusal is told, and the end of it.
    fn keeps(&self, ingest: &Ingest, bytes: u64) -> bool {
        let used = self.used.load(Ordering::Relaxed);
        let cap = self.options.recordings_bytes;
        let has_space = self.disk.admit(Purpose::Recordings, &self.options.recordings, bytes).is_ok();
        let is_kept = has_space && used.saturating_add(bytes) <= cap;
        if is_kept {
            self.used.fetch_add(bytes, Ordering::Relaxed);
        }
        let was_full = self.is_full.swap(!is_kept, Ordering::Relaxed);
        if !is_kept && !was_full {
            let folder = self.options.recordings.display();
            tracing::error!(
                channel = ingest.channel_key, medium = ingest.media_id, used, cap, %folder,
                "recordings take all that live.recordings_bytes allows: nothing more is recorded, and live goes on; \
                 remove recordings or raise it"
            );
        } else if is_kept && was_full {
            tracing::info!(channel = ingest.channel_key, medium = ingest.media_id, "recordings go on");
        }
        is_kept
    }

    /// Measures the recordings, and lets go of what nobody watches: it is read again when somebody does.
    fn measure(&self, media: &[Arc<Ingest>]) {
        let now_ms = self.clock.now_ms();
        let on_air: Vec<_> =
            media.iter().filter(|ingest| is_on_air(ingest, now_ms)).map(|ingest| base_of(ingest)).collect();
        self.open.lock().retain(|base, broadcast| on_air.contains(base) || Arc::strong_count(broadcast) > 1);
        let used = files::size(&self.options.recordings);
        self.used.store(used, Ordering::Relaxed);
    }
}

/// Where a medium's recording is, within the folder of all.
fn base_of(ingest: &Ingest) -> String {
    format!("{}/{}/", ingest.channel_key, ingest.media_id)
}

fn is_on_air(ingest: &Ingest, now_ms: i64) -> bool {
    now_ms >= ingest.starts_at * 1000 - EARLY_MS && now_ms <= ingest.ends_at * 1000 + LATE_MS
}
