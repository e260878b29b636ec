use object_store::memory::InMemory;
use touchline_protocol::ambient::{ManualClock, SeededEntropy};

use super::*;

#[tokio::test]
async fn a_commit_updates_the_snapshot_without_copying() {
    let clock = ManualClock::at_ms(1_795_255_200_000);
    let store = Arc::new(InMemory::new());
    let log = DeltaLog::new(store, Table::Event, Path::from("event"), clock, SeededEntropy::new(1));
    log.create_if_missing(|| Box::pin(async { Ok(Vec::new()) })).await.unwrap();
    let address = async || Arc::as_ptr(&log.snapshot().await.unwrap());
    let before = address().await;
    for n in 0..250 {
        let plan = |_: &Snapshot| {
            let remove = vec![format!("received_date=2026-11-21/{n}.parquet")];
            Some(Change { operation: "WRITE", changes_rows: true, remove, ..Change::default() })
        };
        assert!(log.commit(plan).await.unwrap());
        assert_eq!(address().await, before, "commit {n}");
    }
    assert_eq!(log.snapshot().await.unwrap().removed.len(), 250);
}
