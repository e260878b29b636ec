//! Cuts queued clips. The queue is in the store, so that a restart continues where a crash stopped.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use touchline_domain::clips::{ClipSource, MAX_LENGTH_S};
use touchline_protocol::ambient::SharedClock;
use touchline_protocol::clips::ClipStatus;
use touchline_protocol::limits::Limit;
use touchline_store::{ClipRecord, Store, StoreResult, WaitingClip};

use super::ClipStorage;
use super::job::{ClipFiles, cut};
use crate::background::{Wakeups, after_failure, log_failure, wait_until};
use crate::broadcast::Broadcasts;
use crate::catalogue::records::MediaKind;
use crate::catalogue::{ChannelSnapshot, Channels};
use crate::media::{Feed, Stream, Timing};

/// Clips checked for files in one batch.
const BATCH_SIZE: u32 = 500;
/// Period of attempts for a clip whose files cannot be written.
const RETRY_PERIOD_MS: i64 = 3_600_000;
pub(crate) const LIMITS: &[Limit] = &[
    Limit::millis("clips.length", (MAX_LENGTH_S * 1000.0) as u64, "Maximum length of a clip."),
    Limit::count("clips.in_turn", 1, "clip", "Clips of one person cut before the next person's."),
    Limit::millis(
        "clips.tried_for",
        RETRY_PERIOD_MS as u64,
        "How long a clip whose files cannot be written is retried.",
    ),
];

/// Dependencies of the clip cutter.
#[derive(Debug, Clone)]
pub struct ClipCutter {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: SharedClock,
    pub(crate) channels: Arc<Channels>,
    pub(crate) clips: ClipStorage,
    pub(crate) broadcasts: Arc<Broadcasts>,
    pub(crate) wakeups: Arc<Wakeups>,
}

/// Result of an attempt.
enum Attempt {
    Done,
    /// Permanent: the source no longer exists.
    Impossible(&'static str),
    /// Possibly temporary, such as a full disk or a file that is being replaced.
    Failed(io::Error),
}

/// Cuts queued clips until cancelled. Finishes the current clip first.
pub(crate) async fn run(cutter: ClipCutter, cancel: CancellationToken) {
    loop {
        let cut = cut_waiting(&cutter).await;
        if let Err(error) = &cut {
            log_failure(error, "cannot cut clips");
        }
        let again = (cut.is_err() || cutter.clips.is_full()).then(|| after_failure(&*cutter.clock));
        let woken = wait_until(&*cutter.clock, &cutter.wakeups.clips, again);
        if cancel.run_until_cancelled(woken).await.is_none() {
            return;
        }
    }
}

/// Cuts the clips in the queue.
///
/// # Errors
/// Fails when the store does not answer.
pub async fn cut_waiting(cutter: &ClipCutter) -> StoreResult<()> {
    // One attempt per clip, so that a failing clip does not delay the others.
    let mut tried = HashSet::new();
    loop {
        let waiting = cutter.store.waiting_clips().await?;
        // Each round takes one clip per person and then reads the queue again, so that a person with many clips delays
        // others by one at most.
        let mut served = HashSet::new();
        let round: Vec<_> =
            waiting.into_iter().filter(|clip| !tried.contains(&clip.id) && served.insert(clip.user_id)).collect();
        if round.is_empty() {
            return Ok(());
        }
        for WaitingClip { id, .. } in round {
            tried.insert(id);
            // The clip may have been deleted.
            if let Some(record) = cutter.store.clip(id).await? {
                settle(cutter, record).await?;
            }
        }
    }
}

/// Cuts finished clips without files again, for instance after a restore: a backup contains only records. Runs once
/// after a start, until cancelled.
pub(crate) async fn restore_files(cutter: ClipCutter, cancel: CancellationToken) {
    if let Some(Err(error)) = cancel.run_until_cancelled(recreate_missing_clips(&cutter)).await {
        tracing::error!(%error, "cannot restore clips without files");
    }
}

/// Cuts finished clips without files again. A clip that cannot be cut becomes `failed`.
///
/// # Errors
/// Fails when the store does not answer.
pub async fn recreate_missing_clips(cutter: &ClipCutter) -> StoreResult<()> {
    let mut after = 0;
    loop {
        let ready = cutter.store.ready_clips(after, BATCH_SIZE).await?;
        let Some(last) = ready.last() else { return Ok(()) };
        after = last.clip.id;
        for record in missing(cutter, ready).await {
            let id = record.clip.id;
            if cutter.channels.is_channel_down(&record.channel_key) {
                tracing::warn!(clip = id, "a clip without files waits for its channel until the next start");
                continue;
            }
            match attempt(cutter, record).await {
                Attempt::Done => tracing::info!(clip = id, "a clip without files was cut again"),
                // Another worker may have the clip's files or the recording.
                Attempt::Impossible(why) if cutter.store.is_shared() => {
                    tracing::warn!(clip = id, why, "a clip has no files on this worker and cannot be cut here");
                }
                Attempt::Impossible(why) => {
                    tracing::warn!(clip = id, why, "a clip without files cannot be cut again");
                    cutter.store.mark_clip_lost(id, cutter.clock.now_ms()).await?;
                }
                Attempt::Failed(error) => {
                    tracing::warn!(clip = id, %error, "a clip without files will be retried at the next start");
                }
            }
        }
    }
}

/// The records without files.
async fn missing(cutter: &ClipCutter, records: Vec<ClipRecord>) -> Vec<ClipRecord> {
    let clip_storage = cutter.clips.clone();
    // A bucket that does not answer is checked again at the next start.
    let is_missing = move |record: &ClipRecord| {
        clip_storage.has_files(&record.channel_key, &record.clip.uuid).is_ok_and(|has_files| !has_files)
    };
    let result = tokio::task::spawn_blocking(move || records.into_iter().filter(is_missing).collect()).await;
    result.unwrap_or_else(|error| {
        tracing::error!(%error, "cannot list the folder of clips");
        Vec::new()
    })
}

async fn settle(cutter: &ClipCutter, record: ClipRecord) -> StoreResult<()> {
    if cutter.channels.is_channel_down(&record.channel_key) {
        return Ok(());
    }
    let id = record.clip.id;
    cutter.store.advance_clip(id, ClipStatus::Processing, cutter.clock.now_ms()).await?;
    let age_ms = cutter.clock.now_ms() - record.created_at;
    let (key, uuid) = (record.channel_key.clone(), record.clip.uuid.clone());
    let to = match attempt(cutter, record).await {
        Attempt::Done => ClipStatus::Ready,
        Attempt::Impossible(why) => {
            tracing::warn!(clip = id, why, "cannot cut a clip");
            ClipStatus::Failed
        }
        Attempt::Failed(error) if touchline_disk::is_passing(&error) => {
            if touchline_disk::is_no_space(&error) {
                cutter.clips.note_full();
            }
            tracing::debug!(clip = id, %error, "a clip waits for disk space");
            return Ok(());
        }
        Attempt::Failed(error) if age_ms < RETRY_PERIOD_MS => {
            tracing::warn!(clip = id, %error, "a clip will be retried later");
            return Ok(());
        }
        Attempt::Failed(error) => {
            tracing::error!(clip = id, %error, "gave up on a clip");
            ClipStatus::Failed
        }
    };
    if cutter.store.advance_clip(id, to, cutter.clock.now_ms()).await?.is_none() && to == ClipStatus::Ready {
        // The clip was deleted while it was cut.
        if let Err(error) = cutter.clips.removed(&key, &uuid).await {
            tracing::warn!(clip = id, %error, "housekeeping will remove the files of a deleted clip");
        }
    }
    Ok(())
}

async fn attempt(cutter: &ClipCutter, record: ClipRecord) -> Attempt {
    let Some(channel) = cutter.channels.by_key(&record.channel_key) else {
        return Attempt::Impossible("its channel no longer exists");
    };
    let Some(Clippable { feed, stream, rounds }) =
        clippable(&channel, &cutter.broadcasts, record.source(), record.clip.event_media_id)
    else {
        return Attempt::Impossible("its recording no longer exists");
    };
    let (start, length) = (record.start_ms.unsigned_abs(), record.duration_ms.unsigned_abs());
    let Some(cut) = stream.variants.first().and_then(|best| cut(best, start, length, rounds)) else {
        return Attempt::Impossible("its recording has become shorter");
    };
    let clip_storage = cutter.clips.clone();
    let (source, folder) = match feed {
        Feed::Files(_) => (cutter.channels.source().clone(), format!("{}/media/{}", record.channel_key, stream.base)),
        Feed::Pull(_) => return Attempt::Impossible("its recording is external"),
        Feed::Ingest(ingest) => {
            (cutter.broadcasts.recorded_files().clone(), cutter.broadcasts.of(ingest).base().to_owned())
        }
    };
    let write = move |cut: &ClipFiles| {
        clip_storage.put(&record.channel_key, &record.clip.uuid, cut, |file| source.read(&format!("{folder}{file}")))
    };
    match tokio::task::spawn_blocking(move || write(&cut)).await {
        Ok(Ok(())) => Attempt::Done,
        Ok(Err(error)) => Attempt::Failed(error),
        Err(error) => Attempt::Failed(io::Error::other(error)),
    }
}

/// A source of clips.
#[derive(Debug)]
pub(crate) struct Clippable<'a> {
    pub(crate) feed: &'a Feed,
    /// The current playlist.
    pub(crate) stream: Arc<Stream>,
    /// Whether it loops: a live medium that plays a folder of files.
    pub(crate) rounds: bool,
}

/// The source for clips of a medium: its recording, or a live stream so far. Picture and sound must be in the same,
/// unencrypted segments.
pub(crate) fn clippable<'a>(
    channel: &'a ChannelSnapshot,
    broadcasts: &Broadcasts,
    source: ClipSource,
    media_id: i64,
) -> Option<Clippable<'a>> {
    let (prefix, kind) = match source {
        ClipSource::Event(id) => {
            ('e', channel.event(id)?.media.iter().find(|medium| medium.id == media_id).map(|medium| medium.kind)?)
        }
        ClipSource::Video(id) => {
            let medium = &channel.video(id)?.media;
            ('v', (medium.id == media_id).then_some(medium.kind)?)
        }
    };
    let mount = channel.files.mounts.get(&format!("{prefix}{media_id}"))?;
    let stream = broadcasts.stream_of(&mount.feed)?;
    let is_recording = matches!(mount.timing, Timing::OnDemand { .. }) && stream.clippable().is_some();
    let rounds = kind == MediaKind::Live && matches!(mount.feed, Feed::Files(_));
    is_recording.then_some(Clippable { feed: &mount.feed, stream, rounds })
}
