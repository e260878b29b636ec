//! Takes clips off the queue and cuts them. After a crash it goes on where it was: what waits is in the store.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use touchline_domain::clips::{ClipSource, LONGEST_S};
use touchline_protocol::ambient::SharedClock;
use touchline_protocol::clips::ClipStatus;
use touchline_protocol::limits::Limit;
use touchline_store::{ClipRecord, Store, StoreResult, WaitingClip};

use super::ClipStorage;
use super::job::{Cut, cut};
use crate::background::{Wakeups, after_failure, log_failure, wait_until};
use crate::broadcast::Broadcasts;
use crate::catalogue::records::MediaKind;
use crate::catalogue::{ChannelSnapshot, Channels};
use crate::media::{Feed, Stream, Timing};

/// How many clips are looked for in the folder at once.
const LOOKED_AT_ONCE: u32 = 500;
/// For how long a clip is tried whose files cannot be written.
const TRIED_FOR_MS: i64 = 3_600_000;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] = &[
    Limit::millis("clips.length", (LONGEST_S * 1000.0) as u64, "The longest clip."),
    Limit::count("clips.in_turn", 1, "clip", "Clips of one person that are cut before the next person's."),
    Limit::millis("clips.tried_for", TRIED_FOR_MS as u64, "How long a clip is tried whose files cannot be written."),
];

/// What clips are cut with.
#[derive(Debug, Clone)]
pub struct Cutter {
    /// The records.
    pub store: Arc<dyn Store>,
    /// The time.
    pub clock: SharedClock,
    /// The channels with their recordings.
    pub channels: Arc<Channels>,
    /// Where clips are kept.
    pub clips: ClipStorage,
    /// What was recorded of broadcasts.
    pub broadcasts: Arc<Broadcasts>,
    /// What wakes this.
    pub wakeups: Arc<Wakeups>,
}

/// How one attempt ended.
enum Attempt {
    Done,
    /// Never: what it is cut from is gone.
    Impossible(&'static str),
    /// Perhaps later: a full disk, a file that is being replaced.
    Failed(io::Error),
}

/// Cuts what waits until it is told to stop. A clip that has begun is finished first.
pub async fn run(cutter: Cutter, cancel: CancellationToken) {
    loop {
        let cut = cut_waiting(&cutter).await;
        if let Err(error) = &cut {
            log_failure(error, "clips cannot be cut");
        }
        let again = (cut.is_err() || cutter.clips.is_full()).then(|| after_failure(&*cutter.clock));
        let woken = wait_until(&*cutter.clock, &cutter.wakeups.clips, again);
        if cancel.run_until_cancelled(woken).await.is_none() {
            return;
        }
    }
}

/// Cuts what waits now.
///
/// # Errors
/// When the store does not answer.
pub async fn cut_waiting(cutter: &Cutter) -> StoreResult<()> {
    // Each is tried once: those that cannot be cut yet do not keep the others waiting.
    let mut tried = HashSet::new();
    loop {
        let waiting = cutter.store.waiting_clips().await?;
        // One clip of each person a round, and a look at the queue after it: whoever has many waiting holds up nobody
        // by more than one of them.
        let mut served = HashSet::new();
        let round: Vec<_> =
            waiting.into_iter().filter(|clip| !tried.contains(&clip.id) && served.insert(clip.user_id)).collect();
        if round.is_empty() {
            return Ok(());
        }
        for WaitingClip { id, .. } in round {
            tried.insert(id);
            // It may have been deleted meanwhile.
            if let Some(record) = cutter.store.clip(id).await? {
                settle(cutter, record).await?;
            }
        }
    }
}

/// Cuts anew what is ready and has no files any more, as after a restore: a backup holds the records alone. Once, from
/// a start on, until it is told to stop.
pub async fn mend(cutter: Cutter, cancel: CancellationToken) {
    if let Some(Err(error)) = cancel.run_until_cancelled(cut_lost(&cutter)).await {
        tracing::error!(%error, "clips that have lost their files cannot be cut anew");
    }
}

/// Cuts now what is ready and has no files any more. What cannot be cut again is `failed` from then on.
///
/// # Errors
/// When the store does not answer.
pub async fn cut_lost(cutter: &Cutter) -> StoreResult<()> {
    let mut after = 0;
    loop {
        let ready = cutter.store.ready_clips(after, LOOKED_AT_ONCE).await?;
        let Some(last) = ready.last() else { return Ok(()) };
        after = last.clip.id;
        for record in missing(cutter, ready).await {
            let id = record.clip.id;
            match attempt(cutter, record).await {
                Attempt::Done => tracing::info!(clip = id, "a clip that had lost its files is cut anew"),
                // Another worker may have its files, or the recording that it is cut from.
                Attempt::Impossible(why) if cutter.store.is_shared() => {
                    tracing::warn!(clip = id, why, "a clip has no files here and cannot be cut here");
                }
                Attempt::Impossible(why) => {
                    tracing::warn!(clip = id, why, "a clip has lost its files and cannot be cut anew");
                    cutter.store.mark_clip_lost(id, cutter.clock.now_ms()).await?;
                }
                Attempt::Failed(error) => {
                    tracing::warn!(clip = id, %error, "a clip that has lost its files is tried again at the next start");
                }
            }
        }
    }
}

/// Those of which there are no files.
async fn missing(cutter: &Cutter, records: Vec<ClipRecord>) -> Vec<ClipRecord> {
    let clip_storage = cutter.clips.clone();
    // What a bucket that does not answer holds is not known: it is looked at again at the next start.
    let is_missing =
        move |record: &ClipRecord| clip_storage.holds(&record.channel_key, &record.clip.uuid).is_ok_and(|holds| !holds);
    let looked = tokio::task::spawn_blocking(move || records.into_iter().filter(is_missing).collect()).await;
    looked.unwrap_or_else(|error| {
        tracing::error!(%error, "the folder of clips cannot be looked through");
        Vec::new()
    })
}

async fn settle(cutter: &Cutter, record: ClipRecord) -> StoreResult<()> {
    let id = record.clip.id;
    cutter.store.advance_clip(id, ClipStatus::Processing, cutter.clock.now_ms()).await?;
    let age_ms = cutter.clock.now_ms() - record.created_at;
    let (key, uuid) = (record.channel_key.clone(), record.clip.uuid.clone());
    let to = match attempt(cutter, record).await {
        Attempt::Done => ClipStatus::Ready,
        Attempt::Impossible(why) => {
            tracing::warn!(clip = id, why, "a clip cannot be cut");
            ClipStatus::Failed
        }
        Attempt::Failed(error) if touchline_disk::is_passing(&error) => {
            if touchline_disk::is_no_space(&error) {
                cutter.clips.note_full();
            }
            tracing::debug!(clip = id, %error, "a clip waits for space");
            return Ok(());
        }
        Attempt::Failed(error) if age_ms < TRIED_FOR_MS => {
            tracing::warn!(clip = id, %error, "a clip is tried again later");
            return Ok(());
        }
        Attempt::Failed(error) => {
            tracing::error!(clip = id, %error, "a clip is given up");
            ClipStatus::Failed
        }
    };
    if cutter.store.advance_clip(id, to, cutter.clock.now_ms()).await?.is_none() && to == ClipStatus::Ready {
        // It was deleted while it was cut.
        if let Err(error) = cutter.clips.removed(&key, &uuid).await {
            tracing::warn!(clip = id, %error, "the files of a deleted clip are left to housekeeping");
        }
    }
    Ok(())
}

async fn attempt(cutter: &Cutter, record: ClipRecord) -> Attempt {
    let Some(channel) = cutter.channels.by_key(&record.channel_key) else {
        return Attempt::Impossible("its channel is gone");
    };
    let Some(Cuttable { feed, stream, rounds }) =
        cuttable(&channel, &cutter.broadcasts, record.source(), record.clip.event_media_id)
    else {
        return Attempt::Impossible("its recording is gone");
    };
    let (start, length) = (record.start_ms.unsigned_abs(), record.duration_ms.unsigned_abs());
    let Some(cut) = stream.variants.first().and_then(|best| cut(best, start, length, rounds)) else {
        return Attempt::Impossible("its recording is shorter now");
    };
    let clip_storage = cutter.clips.clone();
    let (source, folder) = match feed {
        Feed::Files(_) => (cutter.channels.source().clone(), format!("{}/media/{}", record.channel_key, stream.base)),
        Feed::Pull(_) => return Attempt::Impossible("its recording is elsewhere"),
        Feed::Ingest(ingest) => (cutter.broadcasts.kept().clone(), cutter.broadcasts.of(ingest).base().to_owned()),
    };
    let write = move |cut: &Cut| {
        clip_storage.put(&record.channel_key, &record.clip.uuid, cut, |file| source.read(&format!("{folder}{file}")))
    };
    match tokio::task::spawn_blocking(move || write(&cut)).await {
        Ok(Ok(())) => Attempt::Done,
        Ok(Err(error)) => Attempt::Failed(error),
        Err(error) => Attempt::Failed(io::Error::other(error)),
    }
}

/// What clips can be cut out of.
#[derive(Debug)]
pub struct Cuttable<'a> {
    /// Where its bytes come from.
    pub feed: &'a Feed,
    /// What there is of it by now.
    pub stream: Arc<Stream>,
    /// Whether it begins again after its end: a live medium that is a folder of files.
    pub rounds: bool,
}

/// The recording of a medium, or what there is of one that is on the air, when clips can be cut out of it: its picture
/// and sound are in the same segments, which are not encrypted.
pub fn cuttable<'a>(
    channel: &'a ChannelSnapshot,
    broadcasts: &Broadcasts,
    source: ClipSource,
    media_id: i64,
) -> Option<Cuttable<'a>> {
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
    let is_recording = matches!(mount.timing, Timing::OnDemand { .. }) && stream.cuttable().is_some();
    let rounds = kind == MediaKind::Live && matches!(mount.feed, Feed::Files(_));
    is_recording.then_some(Cuttable { feed: &mount.feed, stream, rounds })
}
