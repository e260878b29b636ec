//! Compaction: rows of one event that arrived through two workers, and failures.

use std::sync::Arc;
use std::time::Duration;

use crate::support::{self, Workspace, ids, lake_ids, send, until_shipped};
use serde_json::{Value, json};
use touchline_datalake::{Datalake, DatalakeOptions, Table};
use touchline_protocol::ambient::{Entropy, SeededEntropy};

#[tokio::test]
async fn two_workers_with_the_same_name_are_distinguished() {
    let workspace = Workspace::new();
    let beside = workspace.beside();
    let lake = workspace.open().await;
    let other = Datalake::open(DatalakeOptions {
        folder: beside.queue(),
        node: Some(workspace.node.clone()),
        sinks: workspace.sinks.clone(),
        sink_secret: None,
        limits: workspace.limits.clone(),
        clock: Arc::clone(&workspace.clock),
        entropy: SeededEntropy::new(99),
    });
    let other = other.await.unwrap();
    let now = workspace.clock.now_ms();
    // Incompressible rows: a file with one row more is not compacted together with theirs.
    let drawn = SeededEntropy::new(7);
    let visits = |numbers: std::ops::Range<u64>| {
        let text = || [(); 4].map(|()| format!("{:x}", drawn.next_u64())).concat();
        let body = || json!({"event": "visit", "profile": text()});
        numbers.map(|n| support::event(n, "/datalake/event/", now, body())).collect::<Vec<Value>>()
    };
    for part in 0..2 {
        send(&lake, now, &visits(part * 500..(part + 1) * 500)).await;
    }
    until_shipped(&lake, 1000).await;
    lake.compact().await.unwrap();
    send(&other, now, &visits(7..8)).await;
    until_shipped(&other, 1).await;
    assert_eq!(lake_ids(&workspace.lake(), Table::Event).len(), 1001);
    assert_eq!(lake.compact().await.unwrap().duplicates, 1);
    assert_eq!(lake_ids(&workspace.lake(), Table::Event), ids(0..1000));
    for lake in [lake, other] {
        lake.shutdown(Duration::from_secs(5)).await;
    }
}

#[tokio::test]
async fn a_table_that_cannot_be_compacted_stops_no_other() {
    let workspace = Workspace::new();
    let lake = workspace.open().await;
    let now = workspace.clock.now_ms();
    for n in 0..2 {
        let session = json!({"profile": "p", "session": n.to_string()});
        let video = json!({"event": "played", "video_view_uuid": "v"});
        let events = [
            support::event(n * 3, "/datalake/session/", now, session),
            support::visit(n * 3 + 1, now),
            support::event(n * 3 + 2, "/datalake/video/event/", now, video),
        ];
        send(&lake, now, &events).await;
        until_shipped(&lake, (n + 1) * 3).await;
    }
    let log = workspace.lake().join("event/_delta_log");
    let versions = std::fs::read_dir(&log)
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|extension| extension == "json"));
    std::fs::write(log.join(format!("{:020}.json", versions.count())), "damaged").unwrap();
    let failure = lake.compact().await.unwrap_err().to_string();
    assert!(failure.contains("failures: 1"), "{failure}");
    for table in [Table::Session, Table::VideoEvent] {
        assert_eq!(support::lake_files(&workspace.lake(), table).len(), 1, "{}", table.name());
    }
    lake.shutdown(Duration::from_secs(5)).await;
}
