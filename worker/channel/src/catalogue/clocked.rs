//! Statuses move by the clock, from upcoming to live to finished (`EVENT-7`); this is where the moves are noticed and told.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;
use touchline_protocol::ambient::SharedClock;
use touchline_protocol::catalogue::Event;

use super::access::Entitlements;
use super::channels::Channels;
use super::present::Presenter;

/// How often the clock is looked at.
pub const TICK: Duration = Duration::from_secs(1);

/// One event whose status moved.
#[derive(Debug, Clone, PartialEq)]
pub struct StatusMove {
    /// The channel.
    pub channel_key: String,
    /// The event as any visitor sees it; its `version` says how many statuses it has had.
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
                Ok(()) => ticker.told(&moved),
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
    told: HashMap<(String, i64), i64>,
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
            let presenter = Presenter::for_visitor(&channel, &visitor, now_s);
            let before = moved.len();
            for event in &channel.events {
                let told = self.told.get(&(channel.key().to_owned(), event.id));
                if told.is_none_or(|&version| version < event.version_at(now_s)) {
                    moved.push(StatusMove { channel_key: channel.key().to_owned(), event: presenter.event(event) });
                }
            }
            if moved.len() == before {
                self.settled.insert(channel.key().to_owned(), position);
            }
        }
        moved
    }

    pub(crate) fn told(&mut self, moved: &StatusMove) {
        self.told.insert((moved.channel_key.clone(), moved.event.id), moved.event.version);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{FolderSource, LoadOptions};
    use touchline_protocol::catalogue::StreamStatus;

    const NOW: i64 = 1_800_000_000;

    fn channels() -> Channels {
        let source = FolderSource::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/channels"));
        Channels::open(Arc::new(source), LoadOptions { anchor_s: NOW, ..LoadOptions::default() }).unwrap()
    }

    #[test]
    fn everything_is_told_at_the_start_and_then_each_move_once() {
        let (channels, mut ticker) = (channels(), Ticker::default());
        let mut told = |now| {
            let moved = ticker.moved(&channels, now);
            moved.iter().for_each(|moved| ticker.told(moved));
            moved.into_iter().map(|moved| (moved.event.id, moved.event.version)).collect::<Vec<_>>()
        };
        assert_eq!(told(NOW), [(6, 3), (5, 3), (3, 3), (4, 2), (1, 2), (2, 1)]);
        assert_eq!(told(NOW), [(0, 0); 0]);
        assert_eq!(told(NOW + 3599), [(0, 0); 0]);
        assert_eq!(told(NOW + 3600), [(2, 2)]);
        assert_eq!(told(NOW + 3600 + 7200), [(4, 3), (1, 3), (2, 3)]);
        assert_eq!(told(NOW + 99_999), [(0, 0); 0]);
    }

    #[test]
    fn a_move_that_was_not_stored_is_told_again() {
        let (channels, mut ticker) = (channels(), Ticker::default());
        let first = ticker.moved(&channels, NOW);
        assert_eq!(ticker.moved(&channels, NOW), first);
        ticker.told(&first[0]);
        assert_eq!(ticker.moved(&channels, NOW), first[1..]);
    }

    #[test]
    fn what_is_told_to_everyone_holds_no_signed_address() {
        let channels = channels();
        let moved = Ticker::default().moved(&channels, NOW);
        let live = moved.iter().find(|moved| moved.event.id == 1).unwrap();
        assert_eq!(live.event.stream_status, StreamStatus::Live);
        assert!(!live.event.has_access);
        assert!(moved.iter().flat_map(|moved| &moved.event.media).all(|medium| medium.expires.is_none()));
    }
}
