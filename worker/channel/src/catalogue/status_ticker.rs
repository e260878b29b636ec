//! Statuses move by the clock, from upcoming to live to finished (`EVENT-7`); this is where the moves are noticed and told.

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

/// How often the clock is looked at.
pub const TICK: Duration = Duration::from_secs(1);

/// One event whose status moved.
#[derive(Debug, Clone, PartialEq)]
pub struct StatusMove {
    /// The channel.
    pub channel_key: String,
    /// The event as any visitor sees it.
    pub event: Event,
}

/// Who is told of moves: the status log of the channel stream.
#[async_trait]
pub trait StatusEmitter: Send + Sync + 'static {
    /// Stores a move. One whose version is already stored is left out; one that could not be stored is told again at
    /// the next tick.
    async fn emit(&self, moved: &StatusMove) -> anyhow::Result<()>;
}

/// Tells `emitter` of each event's status: all of them at the start (so that moves made while the worker was down are
/// told), then each move.
pub async fn run_ticker(
    channels: Arc<Channels>,
    clock: SharedClock,
    emitter: Arc<dyn StatusEmitter>,
    cancel: CancellationToken,
) {
    let mut ticker = Ticker::default();
    loop {
        for moved in ticker.moved(&channels, clock.now_s()) {
            match emitter.emit(&moved).await {
                Ok(()) => ticker.mark_logged(&moved),
                Err(error) if error.downcast_ref::<StoreError>().is_some_and(StoreError::is_storage_unavailable) => {
                    tracing::debug!(error = format!("{error:#}"), "a status waits for space");
                }
                Err(error) => {
                    tracing::warn!(error = format!("{error:#}"), event = moved.event.id, "a status was not stored");
                }
            }
        }
        if cancel.run_until_cancelled(tokio::time::sleep(TICK)).await.is_none() {
            return;
        }
    }
}

/// Which version of each event was told last.
#[derive(Debug, Default)]
pub(crate) struct Ticker {
    versions: HashMap<(String, i64), i64>,
    /// The generation and the number of moves that everything was told for, by channel.
    settled: HashMap<String, (u64, usize)>,
}

impl Ticker {
    /// What must be told now.
    pub(crate) fn moved(&mut self, channels: &Channels, now_s: i64) -> Vec<StatusMove> {
        let mut moved = Vec::new();
        for channel in channels.all() {
            let position = (channel.generation, channel.moves_by(now_s));
            if self.settled.get(channel.key()) == Some(&position) {
                continue;
            }
            let visitor = Entitlements::default();
            let presenter = Presenter::new(&channel, &visitor, now_s);
            let before = moved.len();
            for event in &channel.events {
                let last_version = self.versions.get(&(channel.key().to_owned(), event.id));
                if last_version.is_none_or(|&version| version < event.version_at(now_s)) {
                    moved.push(StatusMove { channel_key: channel.key().to_owned(), event: presenter.event(event) });
                }
            }
            if moved.len() == before {
                self.settled.insert(channel.key().to_owned(), position);
            }
        }
        moved
    }

    pub(crate) fn mark_logged(&mut self, moved: &StatusMove) {
        self.versions.insert((moved.channel_key.clone(), moved.event.id), moved.event.version);
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
    fn everything_is_told_at_the_start_and_then_each_move_once() {
        let (channels, mut ticker) = (channels(), Ticker::default());
        let mut told = |now| {
            let moved = ticker.moved(&channels, now);
            moved.iter().for_each(|moved| ticker.mark_logged(moved));
            moved.into_iter().map(|moved| (moved.event.id, moved.event.version)).collect::<Vec<_>>()
        };
        let first = told(NOW);
        assert_eq!(first.iter().map(|&(id, _)| id).collect::<Vec<_>>(), [6, 5, 3, 4, 1, 2]);
        assert_eq!(first[4..], [(1, NOW - 600), (2, 1)]);
        assert_eq!(told(NOW), [(0, 0); 0]);
        assert_eq!(told(NOW + 3599), [(0, 0); 0]);
        assert_eq!(told(NOW + 3600), [(2, NOW + 3600)]);
        assert_eq!(told(NOW + 10_800), [(4, NOW + 6000), (1, NOW + 6600), (2, NOW + 10_800)]);
        assert_eq!(told(NOW + 99_999), [(0, 0); 0]);
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

    /// A game goes into overtime after it was over, is then put off until tomorrow, and the worker is started again.
    #[test]
    fn what_an_operator_changes_is_told_under_a_higher_version() {
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
        // As the store keeps them: a line that is not newer is left out.
        let mut tell = |ticker: &mut Ticker, channels: &Channels| {
            let moved = ticker.moved(channels, clock.now_s());
            moved.iter().for_each(|moved| ticker.mark_logged(moved));
            let newer = moved
                .into_iter()
                .map(|moved| moved.event)
                .filter(|event| log.get(&event.id).is_none_or(|&(version, _)| version < event.version));
            let newer: Vec<Event> = newer.collect();
            log.extend(newer.iter().map(|event| (event.id, (event.version, Some(event.clone())))));
            (newer.iter().map(|event| (event.id, event.stream_status, event.version)).collect::<Vec<_>>(), log.clone())
        };
        let (channels, mut ticker) = (start(), Ticker::default());
        assert_eq!(tell(&mut ticker, &channels).0.len(), 6);
        clock.advance_ms(6_600_000);
        let over = tell(&mut ticker, &channels).0;
        assert!(over.contains(&(1, StreamStatus::Finished, NOW + 6600)), "{over:?}");

        clock.advance_ms(60_000);
        change(
            "\"duration_s\": 7200, \"event_category_id\": 11, \"location_id\": 1, \"home",
            "\"duration_s\": 9000, \"event_category_id\": 11, \"location_id\": 1, \"home",
        );
        assert!(channels.reload().unwrap());
        assert_eq!(tell(&mut ticker, &channels).0, [(1, StreamStatus::Live, NOW + 6660)], "overtime");
        change("\"starts_in_s\": -600", "\"starts_in_s\": 86400");
        assert!(channels.reload().unwrap());
        let (told, log) = tell(&mut ticker, &channels);
        assert_eq!(told, [(1, StreamStatus::Upcoming, NOW + 6661)], "put off, in the same second");

        let again = start();
        again.recall("meadow", &log);
        assert_eq!(tell(&mut Ticker::default(), &again).0, [], "nothing changed while it was down");
        change("Rivalry night", "Rivalry evening");
        let (again, mut ticker) = (start(), Ticker::default());
        again.recall("meadow", &log);
        assert_eq!(tell(&mut ticker, &again).0, [(2, StreamStatus::Live, NOW + 6660)], "changed while it was down");
        clock.advance_ms(86_400_000 - 6_660_000);
        let told = tell(&mut ticker, &again).0;
        assert!(told.contains(&(1, StreamStatus::Live, NOW + 86_400)), "{told:?}");
    }

    #[test]
    fn a_move_that_was_not_stored_is_told_again() {
        let (channels, mut ticker) = (channels(), Ticker::default());
        let first = ticker.moved(&channels, NOW);
        assert_eq!(ticker.moved(&channels, NOW), first);
        ticker.mark_logged(&first[0]);
        assert_eq!(ticker.moved(&channels, NOW), first[1..]);
    }

    #[test]
    fn what_is_told_to_everyone_holds_no_signed_address() {
        let channels = channels();
        let moved = Ticker::default().moved(&channels, NOW);
        let live = moved.iter().find(|moved| moved.event.id == 1).unwrap();
        assert_eq!(live.event.stream_status, StreamStatus::Live);
        assert!(!live.event.has_access);
        let mut addresses = moved.iter().flat_map(|moved| &moved.event.media).filter_map(|medium| medium.url.as_ref());
        assert!(addresses.all(|url| !url.contains("/s/") || url.contains("/open/")));
    }
}
