use touchline_protocol::ambient::{ManualClock, SeededEntropy};
use uuid::Uuid;

use super::*;
use crate::event::QueuedEvent;
use crate::options::{Limits, SinkConfig};
use crate::queue::state::OpenBatch;
use crate::sinks::{Batch, Progress, Sink};

const NOW_MS: i64 = 1_795_255_200_000;
const TABLE: Table = Table::Event;

fn opened(folder: &std::path::Path, node: &str, seed: u64) -> Lake {
    let (clock, entropy) = (ManualClock::at_ms(NOW_MS) as _, SeededEntropy::new(seed) as _);
    let config = SinkConfig::LakeFolder(folder.to_owned());
    Lake::open(&config, (node, node), &Limits::default(), &clock, &entropy).unwrap().unwrap()
}

/// Ships a batch with the ids 0, 1 and 2.
async fn ship(lake: &Lake) {
    let at_us = NOW_MS * 1000;
    let event = |n| QueuedEvent {
        id: Uuid::from_u128(n),
        at_us,
        received_us: at_us,
        occurred_us: at_us,
        body: r#"{"event":"visit"}"#.into(),
    };
    let date = event::date_of(at_us);
    let bounds = OpenBatch { epoch: "e".to_owned(), node: String::new(), date, first: 0, last: 2, events: 3 };
    let events = Arc::new((0..3).map(|n| (n, event(u128::from(n)))).collect());
    lake.ship(&Batch { table: TABLE, bounds: &bounds, events }, &mut Progress::default()).await.unwrap();
}

#[tokio::test]
async fn two_compactions_that_each_leave_a_row_to_the_other_do_not_both_succeed() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (opened(folder.path(), "n1", 1), opened(folder.path(), "n2", 2));
    ship(&one).await;
    ship(&other).await;
    let snapshot = one.log(TABLE).await.unwrap().snapshot().await.unwrap();
    let of = |node: &str| -> Vec<Add> {
        snapshot.files.values().filter(|add| nodes_of(add).contains(node)).cloned().collect()
    };
    let date = event::date_of(NOW_MS * 1000);
    assert_eq!(other.compact_group(TABLE, &snapshot, date, &of("n2")).await.unwrap(), Some(3));
    assert_eq!(one.compact_group(TABLE, &snapshot, date, &of("n1")).await.unwrap(), None);
    let now = one.log(TABLE).await.unwrap().snapshot().await.unwrap();
    assert_eq!(one.ids_of(TABLE, &now.files.values().collect::<Vec<_>>()).await.unwrap().len(), 3);
    // The file of the second one is removed at once: an erasure may have missed it.
    let mut stored: Vec<_> = one.files(TABLE).await.unwrap().into_iter().map(|file| file.path).collect();
    stored.retain(|path| !snapshot.files.contains_key(path) && !now.files.contains_key(path));
    assert_eq!(stored, Vec::<String>::new());
}
