//! Announces status changes by the clock, from upcoming to live to finished (`EVENT-7`).

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;
use touchline_domain::entitlements::Entitlements;
use touchline_protocol::ambient::SharedClock;
use touchline_protocol::catalogue::Event;
use touchline_store::StoreError;

use super::channels::Channels;
use super::presenter::Presenter;

pub(crate) const TICK: Duration = Duration::from_secs(1);
/// Maximum number of statuses of one transaction. A new channel may have ten thousand.
const BATCH: usize = 100;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StatusChange {
    pub(crate) channel_key: String,
    /// The event as any visitor sees it.
    pub(crate) event: Event,
}

/// Receiver of status changes: the status log of the channel stream.
#[async_trait]
pub(crate) trait StatusEmitter: Send + Sync + 'static {
    /// Stores status changes of one channel, all or none. A version that is already stored is skipped. Changes that
    /// could not be stored are sent again at the next tick.
    async fn emit(&self, changes: &[StatusChange]) -> anyhow::Result<()>;
}

/// Sends every event's status to `emitter` at the start, including changes made while the worker was down, and then
/// each change.
pub(crate) async fn run_ticker(
    channels: Arc<Channels>,
    clock: SharedClock,
    emitter: Arc<dyn StatusEmitter>,
    cancel: CancellationToken,
) {
    let mut ticker = Ticker::default();
    loop {
        let pending = ticker.pending(&channels, clock.now_s());
        let by_channel = pending.chunk_by(|one, next| one.channel_key == next.channel_key);
        for changes in by_channel.flat_map(|changes| changes.chunks(BATCH)) {
            match emitter.emit(changes).await {
                Ok(()) => changes.iter().for_each(|change| ticker.mark_logged(change)),
                Err(error) if error.downcast_ref::<StoreError>().is_some_and(StoreError::is_storage_unavailable) => {
                    tracing::debug!(error = format!("{error:#}"), "status changes wait for disk space");
                }
                Err(error) => {
                    tracing::warn!(
                        error = format!("{error:#}"),
                        channel = changes[0].channel_key,
                        "cannot store status changes"
                    );
                }
            }
        }
        if cancel.run_until_cancelled(tokio::time::sleep(TICK)).await.is_none() {
            return;
        }
    }
}

/// The last announced version of each event.
#[derive(Debug, Default)]
pub(crate) struct Ticker {
    versions: HashMap<(String, i64), i64>,
    /// Generation and number of status changes that were announced in full, by channel.
    settled: HashMap<String, (u64, usize)>,
}

impl Ticker {
    /// Status changes to announce now.
    pub(crate) fn pending(&mut self, channels: &Channels, now_s: i64) -> Vec<StatusChange> {
        let mut changes = Vec::new();
        for channel in channels.all() {
            let position = (channel.generation, channel.status_changes_by(now_s));
            if self.settled.get(channel.key()) == Some(&position) {
                continue;
            }
            let visitor = Entitlements::default();
            let presenter = Presenter::new(&channel, &visitor, now_s);
            let before = changes.len();
            for event in &channel.events {
                let last_version = self.versions.get(&(channel.key().to_owned(), event.id));
                if last_version.is_none_or(|&version| version < event.version_at(now_s)) {
                    changes.push(StatusChange { channel_key: channel.key().to_owned(), event: presenter.event(event) });
                }
            }
            if changes.len() == before {
                self.settled.insert(channel.key().to_owned(), position);
            }
        }
        changes
    }

    pub(crate) fn mark_logged(&mut self, change: &StatusChange) {
        self.versions.insert((change.channel_key.clone(), change.event.id), change.event.version);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{FolderSource, LoadOptions};
    use std::path::Path;

    use touchline_protocol::ambient::{Clock, ManualClock};
    use touchline_protocol::catalogue::StreamStatus;

    const NOW: i64 = 1_800_000_000;

    fn channels() -> Channels {
        let source = FolderSource::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/channels"));
        let options = LoadOptions { anchor_s: NOW, ..LoadOptions::default() };
        Channels::open(Arc::new(source), options, ManualClock::at_ms(NOW * 1000)).unwrap()
    }

    #[test]
    fn every_status_is_announced_at_the_start_and_each_change_once() {
        let (channels, mut ticker) = (channels(), Ticker::default());
        let mut announced = |now| {
            let changes = ticker.pending(&channels, now);
            changes.iter().for_each(|change| ticker.mark_logged(change));
            changes.into_iter().map(|change| (change.event.id, change.event.version)).collect::<Vec<_>>()
        };
        let first = announced(NOW);
        assert_eq!(first.iter().map(|&(id, _)| id).collect::<Vec<_>>(), [6, 5, 3, 4, 1, 2]);
        assert_eq!(first[4..], [(1, NOW - 600), (2, 1)]);
        assert_eq!(announced(NOW), [(0, 0); 0]);
        assert_eq!(announced(NOW + 3599), [(0, 0); 0]);
        assert_eq!(announced(NOW + 3600), [(2, NOW + 3600)]);
        assert_eq!(announced(NOW + 10_800), [(4, NOW + 6000), (1, NOW + 6600), (2, NOW + 10_800)]);
        assert_eq!(announced(NOW + 99_999), [(0, 0); 0]);
    }

    fn copy(from: &Path, to: &Path) {
        std::fs::create_dir_all(to).unwrap();
        for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
            let target = to.join(entry.file_name());
            if entry.path().is_dir() {
                copy(&entry.path(), &target);
            } else {
                std::fs::copy(entry.path(), target).unwrap();
            }
        }
    }

    /// A game goes into overtime after its end, is then postponed until tomorrow, and the worker restarts.
    #[test]
    fn an_operators_change_is_announced_with_a_higher_version() {
        let folder = tempfile::tempdir().unwrap();
        copy(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/channels")), folder.path());
        let change = |from: &str, to: &str| {
            let file = folder.path().join("meadow/events.json");
            let text = std::fs::read_to_string(&file).unwrap();
            assert_eq!(text.matches(from).count(), 1, "{from}");
            std::fs::write(file, text.replace(from, to)).unwrap();
        };
        let clock = ManualClock::at_ms(NOW * 1000);
        let start = || {
            let options = LoadOptions { anchor_s: NOW, ..LoadOptions::default() };
            Channels::open(Arc::new(FolderSource::new(folder.path())), options, clock.clone()).unwrap()
        };
        let mut log: HashMap<i64, (i64, Option<Event>)> = HashMap::new();
        // Like the store, skips a version that is not newer.
        let mut announce = |ticker: &mut Ticker, channels: &Channels| {
            let changes = ticker.pending(channels, clock.now_s());
            changes.iter().for_each(|change| ticker.mark_logged(change));
            let newer = changes
                .into_iter()
                .map(|change| change.event)
                .filter(|event| log.get(&event.id).is_none_or(|&(version, _)| version < event.version));
            let newer: Vec<Event> = newer.collect();
            log.extend(newer.iter().map(|event| (event.id, (event.version, Some(event.clone())))));
            (newer.iter().map(|event| (event.id, event.stream_status, event.version)).collect::<Vec<_>>(), log.clone())
        };
        let (channels, mut ticker) = (start(), Ticker::default());
        assert_eq!(announce(&mut ticker, &channels).0.len(), 6);
        clock.advance_ms(6_600_000);
        let over = announce(&mut ticker, &channels).0;
        assert!(over.contains(&(1, StreamStatus::Finished, NOW + 6600)), "{over:?}");

        clock.advance_ms(60_000);
        change(
            "\"duration_s\": 7200, \"event_category_id\": 11, \"location_id\": 1, \"home",
            "\"duration_s\": 9000, \"event_category_id\": 11, \"location_id\": 1, \"home",
        );
        assert!(channels.reload().unwrap());
        assert_eq!(announce(&mut ticker, &channels).0, [(1, StreamStatus::Live, NOW + 6660)], "overtime");
        change("\"starts_in_s\": -600", "\"starts_in_s\": 86400");
        assert!(channels.reload().unwrap());
        let (announced, log) = announce(&mut ticker, &channels);
        assert_eq!(announced, [(1, StreamStatus::Upcoming, NOW + 6661)], "postponed, in the same second");

        let again = start();
        again.restore_versions("meadow", &log);
        assert_eq!(announce(&mut Ticker::default(), &again).0, [], "nothing changed while it was down");
        change("Rivalry night", "Rivalry evening");
        let (again, mut ticker) = (start(), Ticker::default());
        again.restore_versions("meadow", &log);
        assert_eq!(announce(&mut ticker, &again).0, [(2, StreamStatus::Live, NOW + 6660)], "changed while it was down");
        clock.advance_ms(86_400_000 - 6_660_000);
        let announced = announce(&mut ticker, &again).0;
        assert!(announced.contains(&(1, StreamStatus::Live, NOW + 86_400)), "{announced:?}");
    }

    /// Counts the changes of each transaction.
    #[derive(Default)]
    struct Transactions(parking_lot::Mutex<Vec<usize>>);

    #[async_trait]
    impl StatusEmitter for Transactions {
        async fn emit(&self, changes: &[StatusChange]) -> anyhow::Result<()> {
            self.0.lock().push(changes.len());
            Ok(())
        }
    }

    #[tokio::test(start_paused = true)]
    async fn all_statuses_of_a_new_channel_take_few_transactions() {
        let (emitter, cancel) = (Arc::new(Transactions::default()), CancellationToken::new());
        let clock = ManualClock::at_ms(NOW * 1000);
        let ticker = run_ticker(Arc::new(channels()), clock, emitter.clone(), cancel.clone());
        let both = async { tokio::join!(ticker, async { cancel.cancel() }) };
        both.await;
        assert_eq!(*emitter.0.lock(), [6]);
    }

    #[test]
    fn a_change_that_was_not_stored_is_announced_again() {
        let (channels, mut ticker) = (channels(), Ticker::default());
        let first = ticker.pending(&channels, NOW);
        assert_eq!(ticker.pending(&channels, NOW), first);
        ticker.mark_logged(&first[0]);
        assert_eq!(ticker.pending(&channels, NOW), first[1..]);
    }

    #[test]
    fn announcements_contain_no_signed_addresses() {
        let channels = channels();
        let changes = Ticker::default().pending(&channels, NOW);
        let live = changes.iter().find(|change| change.event.id == 1).unwrap();
        assert_eq!(live.event.stream_status, StreamStatus::Live);
        assert!(!live.event.has_access);
        let mut addresses =
            changes.iter().flat_map(|change| &change.event.media).filter_map(|medium| medium.url.as_ref());
        assert!(addresses.all(|url| !url.contains("/s/") || url.contains("/open/")));
    }
}
