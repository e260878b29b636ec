//! State that must survive a restart, without losses or duplicates.

use std::time::Duration;

use crate::support::{
    self, Workspace, id, ids, lake_ids, lake_rows, outcomes, post, send, until, until_shipped, visit,
};
use serde_json::{Value, json};
use touchline_datalake::{DeadLetterFilter, INGEST, OpenError, SinkConfig, Table};
use touchline_disk::{Disk, Purpose, Refused};
use touchline_protocol::ambient::{Clock, Entropy, ManualClock, SeededEntropy, SystemClock};

const DAY: i64 = 24 * 3_600_000;

/// Nothing listens on port 1: every connection is refused.
fn nowhere() -> SinkConfig {
    SinkConfig::Http("http://127.0.0.1:1/".to_owned())
}

fn visits(numbers: std::ops::Range<u64>, at: i64) -> Vec<Value> {
    numbers.map(|n| visit(n, at)).collect()
}

/// An event of 2 KB that does not compress.
fn noisy(entropy: &dyn Entropy, n: u64, at: i64) -> Value {
    let noise: String = (0..120).map(|_| format!("{:016x}", entropy.next_u64())).collect();
    support::event(n, "/datalake/event/", at, json!({"event": "visit", "noise": noise}))
}

#[tokio::test]
async fn an_id_is_recognised_for_seven_days_across_restarts() {
    let clock = ManualClock::at_ms(1_795_262_400_000);
    let workspace = Workspace { clock: clock.clone(), ..Workspace::new() };
    for day in 0..7 {
        let lake = workspace.open().await;
        let now = clock.now_ms();
        let outcome = if day == 0 { "accepted" } else { "duplicate" };
        assert_eq!(outcomes(&send(&lake, now, &[visit(1, now)]).await), [outcome]);
        assert_eq!(outcomes(&send(&lake, now, &[visit(100 + day, now)]).await), ["accepted"]);
        lake.shutdown(Duration::from_secs(10)).await;
        clock.advance_ms(DAY);
    }
    assert_eq!(lake_ids(&workspace.lake(), Table::Event).len(), 8);
}

#[tokio::test]
async fn events_waiting_for_an_unreachable_sink_are_shipped_a_day_and_a_restart_later() {
    let server = support::http::Server::start().await;
    server.answer_with(503);
    let clock = ManualClock::at_ms(1_795_262_400_000);
    let mut workspace = Workspace { clock: clock.clone(), ..Workspace::new() };
    workspace.sinks = vec![format!("http:{}", server.url).parse().unwrap()];
    let lake = workspace.open().await;
    let now = clock.now_ms();
    assert!(outcomes(&send(&lake, now, &visits(0..50, now)).await).iter().all(|outcome| outcome == "accepted"));
    clock.advance_ms(DAY);
    until(&lake, "in trouble", |_| !lake.status().troubles.is_empty()).await;
    let row = lake.ledger().into_iter().find(|row| row.table == Table::Event).unwrap();
    assert_eq!((row.queued, row.oldest_age_s), (50, Some(86_400)));
    assert!(lake.status().troubles[0].reason.contains("503"));
    lake.shutdown(Duration::ZERO).await;

    server.answer_with(200);
    let lake = workspace.open().await;
    until_shipped(&lake, 50).await;
    assert_eq!(server.ids(), ids(0..50));
    assert!(lake.status().troubles.is_empty());
    lake.shutdown(Duration::from_secs(5)).await;
}

#[tokio::test]
async fn a_new_sink_receives_waiting_events_and_a_removed_sink_blocks_nothing() {
    let mut workspace = Workspace::new();
    let folder = workspace.sinks.remove(0);
    workspace.sinks.push(nowhere());
    let lake = workspace.open().await;
    let now = workspace.clock.now_ms();
    send(&lake, now, &visits(0..30, now)).await;
    until(&lake, "in trouble", |_| !lake.status().troubles.is_empty()).await;
    let why = &lake.status().troubles[0].reason;
    assert!(why.contains("Connection refused"), "not enough information: {why}");
    lake.shutdown(Duration::ZERO).await;

    workspace.sinks.push(folder.clone());
    let lake = workspace.open().await;
    until(&lake, "shipped to the new one", |rows| rows.iter().map(|row| row.shipped).sum::<u64>() == 30).await;
    assert!(lake.status().pending_bytes > 0);
    lake.shutdown(Duration::ZERO).await;

    workspace.sinks.remove(0);
    let lake = workspace.open().await;
    assert_eq!(lake.status().pending_bytes, 0);
    assert_eq!(lake.ledger().iter().map(|row| (row.accepted, row.shipped)).collect::<Vec<_>>()[1], (30, 30));
    assert_eq!(lake_ids(&workspace.lake(), Table::Event), ids(0..30));
    lake.shutdown(Duration::from_secs(5)).await;
}

#[tokio::test]
async fn an_event_that_waited_too_long_becomes_a_dead_letter_that_can_be_requeued() {
    let workspace = Workspace::new();
    let lake = workspace.open().await;
    let now = workspace.clock.now_ms();
    for _ in 0..2 {
        assert_eq!(outcomes(&send(&lake, now, &[visit(1, now - 8 * DAY)]).await), ["rejected too_old"]);
    }
    let (total, letters) = lake.dead_letters(DeadLetterFilter::default(), 10, 0).await.unwrap();
    assert_eq!((total, letters[0].sink.as_str(), letters[0].id.to_string()), (1, INGEST, id(1)));
    assert_eq!(serde_json::to_value(&letters[0]).unwrap()["reason"], json!("too_old"));
    lake.shutdown(Duration::from_secs(5)).await;

    let lake = workspace.open().await;
    assert_eq!(lake.status().dead_letters, 1);
    assert_eq!(lake.requeue(DeadLetterFilter::default()).await.unwrap().requeued, 1);
    until_shipped(&lake, 1).await;
    let row = lake_rows(&workspace.lake(), Table::Event).remove(0);
    assert_eq!(row["event_id"], id(1));
    assert_eq!(lake.status().dead_letters, 0);
    assert_eq!(outcomes(&send(&lake, now, &[visit(1, now)]).await), ["duplicate"]);
}

#[tokio::test]
async fn late_events_use_up_to_a_tenth_of_the_dead_letters() {
    let mut workspace = Workspace::new();
    workspace.limits.dead_letters = 30;
    let lake = workspace.open().await;
    let now = workspace.clock.now_ms();
    let answer = send(&lake, now, &visits(0..20, now - 8 * DAY)).await;
    assert!(outcomes(&answer).iter().all(|outcome| outcome == "rejected too_old"));
    assert_eq!(lake.status().dead_letters, 3);
}

#[tokio::test]
async fn a_full_queue_refuses_heartbeats_first_and_purchases_last_and_never_answers_200() {
    let mut workspace = Workspace::new();
    workspace.sinks = vec![nowhere()];
    workspace.limits.queue_bytes = 400_000;
    let lake = workspace.open().await;
    let now = workspace.clock.now_ms();
    let entropy = SeededEntropy::new(5);
    let mut n = 0;
    let mut noisy = |path: &str, body: Value| {
        n += 1;
        // Noise, so that compression does not change the size.
        let noise: String = (0..300).map(|_| format!("{:016x}", entropy.next_u64())).collect();
        let mut body = body;
        body["other"] = json!(noise);
        support::event(n, path, now, body)
    };
    let mut refused_first = Vec::new();
    loop {
        let heartbeat = noisy("/datalake/video/viewing/", json!({"viewing_time": 10}));
        let page_view = noisy("/datalake/event/", json!({"event": "page_view"}));
        let purchase = noisy("/datalake/event/", json!({"event": "purchase"}));
        let answer = send(&lake, now, &[heartbeat, page_view, purchase]).await;
        if answer.status == 429 {
            assert_eq!((answer.retry_after.as_deref(), answer.body["code"].as_str()), (Some("30"), Some("queue_full")));
            break;
        }
        let outcomes = outcomes(&answer);
        if !refused_first.contains(&outcomes) {
            refused_first.push(outcomes);
        }
    }
    assert_eq!(
        refused_first,
        [
            ["accepted", "accepted", "accepted"],
            ["retry queue_full", "accepted", "accepted"],
            ["retry queue_full", "retry queue_full", "accepted"],
        ]
    );
    let single = noisy("/datalake/event/", json!({"event": "page_view"}));
    assert_eq!(post(&lake, "/datalake/event/", single["body"].to_string()).await.status, 429);
    assert!(lake.status().pending_bytes <= 400_000);
    lake.shutdown(Duration::ZERO).await;
}

#[tokio::test]
async fn a_full_disk_refuses_events_with_the_reason() {
    let mut workspace = Workspace::new();
    workspace.limits.disk = Disk::new(u64::MAX / 4);
    let lake = workspace.open().await;
    let now = workspace.clock.now_ms();
    for n in 1..=2 {
        let refused = send(&lake, now, &[visit(n, now)]).await;
        assert_eq!((refused.status, &refused.body["code"]), (429, &json!("no_space")));
    }
    assert_eq!(lake.ready(), Ok(()));
    assert_eq!(
        lake.status().refused,
        [Refused { purpose: Purpose::Analytics, now: true, count: 2 }],
        "the status says what is refused"
    );
}

#[tokio::test]
async fn a_folder_in_use_is_refused_and_unchanged() {
    let workspace = Workspace::new();
    let lake = workspace.open().await;
    let refused = workspace.try_open().await.unwrap_err();
    assert!(matches!(refused, OpenError::Locked(_)), "{refused}");
    let now = workspace.clock.now_ms();
    assert_eq!(outcomes(&send(&lake, now, &[visit(1, now)]).await), ["accepted"]);
    lake.shutdown(Duration::from_secs(5)).await;
    assert!(workspace.try_open().await.is_ok());
}

#[tokio::test]
async fn a_damaged_queue_is_moved_aside_and_reported_and_the_worker_continues() {
    let mut outcomes_seen = std::collections::BTreeMap::<&str, u32>::new();
    for seed in 0..16 {
        let entropy = SeededEntropy::new(seed);
        let mut workspace = Workspace::new();
        workspace.sinks = vec![nowhere()];
        let lake = workspace.open().await;
        let now = workspace.clock.now_ms();
        for part in 0..4 {
            let events: Vec<Value> = (part * 50..(part + 1) * 50).map(|n| noisy(&*entropy, n, now)).collect();
            send(&lake, now, &events).await;
        }
        let epoch = lake.status().epoch;
        lake.shutdown(Duration::ZERO).await;
        drop(lake);

        let db = workspace.queue().join(format!("queue-{epoch}")).join("db");
        let mut bytes = std::fs::read(&db).unwrap();
        let from = (entropy.next_u64() % 400_000) as usize;
        let mut noise = vec![0; 16 << (seed % 12)];
        entropy.fill(&mut noise);
        bytes[from..from + noise.len()].copy_from_slice(&noise);
        std::fs::write(&db, &bytes).unwrap();

        let lake = workspace.open().await;
        let status = lake.status();
        let row = status.ledger.iter().find(|row| row.table == Table::Event).unwrap();
        let outcome = if status.epoch != epoch {
            let aside = workspace.queue().join(format!("damaged-{epoch}"));
            assert_eq!(status.damaged[0].folder, aside.display().to_string());
            assert!(status.damaged[0].bytes > 0 && !status.damaged[0].why.is_empty(), "{status:?}");
            assert!(aside.join("db").exists());
            "moved"
        } else if (row.accepted, row.queued) == (200, 200) {
            "harmless"
        } else {
            "lost"
        };
        *outcomes_seen.entry(outcome).or_default() += 1;
        assert_eq!(outcomes(&send(&lake, now, &[visit(1000, now)]).await), ["accepted"]);
        lake.shutdown(Duration::ZERO).await;
    }
    assert!(outcomes_seen["moved"] > 4 && !outcomes_seen.contains_key("lost"), "{outcomes_seen:?}");
}

#[tokio::test]
async fn a_closed_batch_is_shipped_unchanged_after_a_restart() {
    let mut workspace = Workspace::new();
    // A file in place of the table's folder makes the lake unwritable.
    std::fs::create_dir(workspace.lake()).unwrap();
    std::fs::write(workspace.lake().join("event"), "").unwrap();
    let lake = workspace.open().await;
    let now = workspace.clock.now_ms();
    send(&lake, now, &visits(0..10, now)).await;
    until(&lake, "in trouble", |_| !lake.status().troubles.is_empty()).await;
    lake.shutdown(Duration::ZERO).await;

    std::fs::remove_file(workspace.lake().join("event")).unwrap();
    // No batch that is still open would close now.
    workspace.limits.close_age = Duration::from_secs(3600);
    let lake = workspace.open().await;
    send(&lake, now, &visits(10..20, now)).await;
    until(&lake, "shipped", |rows| rows.iter().any(|row| row.shipped > 0)).await;
    let rows = lake_rows(&workspace.lake(), Table::Event);
    assert_eq!(rows.len(), 10);
    assert!(rows.iter().all(|row| row["file"].ends_with("-000000000000-000000000009.parquet")));
    lake.shutdown(Duration::from_secs(5)).await;
}

#[tokio::test]
async fn small_files_are_compacted_in_one_commit_and_removed_seven_days_later() {
    let clock = ManualClock::at_ms(SystemClock::default().now_ms());
    let workspace = Workspace { clock: clock.clone(), ..Workspace::new() };
    let lake = workspace.open().await;
    for part in 0..3 {
        let now = clock.now_ms();
        send(&lake, now, &visits(part * 10..(part + 1) * 10, now)).await;
        clock.advance_ms(100);
        until_shipped(&lake, (part + 1) * 10).await;
    }
    let (files, stored) = (
        || support::lake_files(&workspace.lake(), Table::Event).len(),
        || support::stored_files(&workspace.lake(), Table::Event).len(),
    );
    assert_eq!((files(), stored()), (3, 3));
    let compacted = lake.compact().await.unwrap();
    assert_eq!((compacted.written, compacted.merged, compacted.duplicates), (1, 3, 0));
    assert_eq!(lake.compact().await.unwrap(), Default::default());
    assert_eq!((files(), stored()), (1, 4));
    let times: Vec<i64> =
        lake_rows(&workspace.lake(), Table::Event).iter().map(|row| row["occurred_at"].parse().unwrap()).collect();
    assert!(times.is_sorted(), "{times:?}");

    clock.advance_ms(7 * DAY - 1000);
    assert_eq!(lake.sweep().await.unwrap(), 0);
    clock.advance_ms(1000);
    assert_eq!(lake.sweep().await.unwrap(), 3);
    assert_eq!((files(), stored()), (1, 1));
    assert_eq!(lake_ids(&workspace.lake(), Table::Event), ids(0..30));
}

#[tokio::test]
async fn a_large_drained_queue_moves_to_a_fresh_folder_and_remembers_its_ids() {
    let mut workspace = Workspace::new();
    workspace.limits.roll_bytes = 4 << 20;
    let lake = workspace.open().await;
    let now = workspace.clock.now_ms();
    let first_epoch = lake.status().epoch;
    let mut sent = 0;
    let entropy = SeededEntropy::new(9);
    while lake.status().epoch == first_epoch {
        assert!(sent < 20_000, "the queue did not move: {:?}", lake.status());
        let events: Vec<Value> = (sent..sent + 400).map(|n| noisy(&*entropy, n, now)).collect();
        send(&lake, now, &events).await;
        sent += 400;
        until_shipped(&lake, sent).await;
    }
    until_shipped(&lake, sent).await;
    assert_eq!(outcomes(&send(&lake, now, &[visit(0, now), visit(sent - 1, now)]).await), ["duplicate", "duplicate"]);
    lake.shutdown(Duration::from_secs(5)).await;

    let lake = workspace.open().await;
    assert_eq!(outcomes(&send(&lake, now, &[visit(0, now), visit(sent, now)]).await), ["duplicate", "accepted"]);
    until_shipped(&lake, sent + 1).await;
    assert_eq!(lake_ids(&workspace.lake(), Table::Event), ids(0..sent + 1));
    let queues = std::fs::read_dir(workspace.queue())
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("queue-"));
    assert_eq!(queues.count(), 1);
}
