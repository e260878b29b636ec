//! Files that a lake retains and removes: checkpoints that readers start from, and leftovers of a killed worker.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::support::{self, Workspace, duck, send, until_shipped, visit};
use serde_json::{Value, json};
use touchline_datalake::Table;
use touchline_protocol::ambient::{Clock, ManualClock, SystemClock};

const HOUR: i64 = 60 * 60 * 1000;

#[tokio::test]
async fn readers_find_a_checkpoint_a_day_after_the_last_commit() {
    let clock = ManualClock::at_ms(SystemClock::default().now_ms());
    let mut workspace = Workspace { clock: clock.clone(), ..Workspace::new() };
    workspace.limits.close_events = 3;
    let lake = workspace.open().await;
    for part in 0..120 {
        let now = clock.now_ms();
        let visits: Vec<Value> = (part * 3..(part + 1) * 3).map(|n| visit(n, now)).collect();
        send(&lake, now, &visits).await;
        clock.advance_ms(1_000);
    }
    until_shipped(&lake, 360).await;
    clock.advance_ms(25 * HOUR);
    lake.sweep().await.unwrap();
    assert_eq!(duck::counts_of(&workspace.lake(), Table::Event, "-1"), [json!([360, 360, 360, 360])]);
    lake.shutdown(Duration::from_secs(5)).await;

    // A lake from which an earlier build removed the checkpoint named by the hint.
    let log = workspace.lake().join("event/_delta_log");
    let hint: Value = serde_json::from_slice(&std::fs::read(log.join("_last_checkpoint")).unwrap()).unwrap();
    assert_eq!(hint["version"], 100);
    std::fs::remove_file(log.join(format!("{:020}.checkpoint.parquet", 100))).unwrap();
    let lake = workspace.open().await;
    let now = clock.now_ms();
    send(&lake, now, &[visit(360, now)]).await;
    clock.advance_ms(100);
    until_shipped(&lake, 361).await;
    assert_eq!(duck::counts_of(&workspace.lake(), Table::Event, "-1"), [json!([361, 361, 361, 361])]);
    lake.shutdown(Duration::from_secs(5)).await;
}

/// Every file in a folder whose name marks it as unfinished.
fn unfinished(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(unfinished(&path));
        } else if path.display().to_string().contains('#') {
            found.push(path.file_name().unwrap().to_string_lossy().into_owned());
        }
    }
    found.sort();
    found
}

#[tokio::test]
async fn unfinished_files_of_a_killed_worker_are_removed() {
    let clock = ManualClock::at_ms(SystemClock::default().now_ms());
    let workspace = Workspace { clock: clock.clone(), ..Workspace::new() };
    let lake = workspace.open().await;
    let now = clock.now_ms();
    send(&lake, now, &[visit(0, now)]).await;
    clock.advance_ms(100);
    until_shipped(&lake, 1).await;
    lake.shutdown(Duration::from_secs(5)).await;
    let table = workspace.lake().join("event");
    let day = support::stored_files(&workspace.lake(), Table::Event).remove(0).parent().unwrap().to_owned();
    std::fs::create_dir_all(table.join("_erased")).unwrap();
    let leftovers = ["n1-0a-000000000007-000000000009.parquet#1", "joined-n1-0b.parquet#1", "erased-n1-0c.parquet#12"];
    let others = ["n2-0a-000000000007-000000000009.parquet#1", "joined-n2-0b.parquet#1", "erased-n2-0c.parquet#1"];
    for name in leftovers.iter().chain(&others) {
        std::fs::write(day.join(name), "x").unwrap();
        let before = SystemTime::UNIX_EPOCH + Duration::from_millis(now.cast_unsigned());
        std::fs::File::open(day.join(name)).unwrap().set_modified(before).unwrap();
    }
    for path in ["_delta_log/00000000000000000009.json#1", "_delta_log/_last_checkpoint#1", "_erased/0d.json#1"] {
        std::fs::write(table.join(path), "x").unwrap();
    }

    let lake = workspace.open().await;
    let is_leftover = |name: &String| leftovers.contains(&name.as_str());
    let removed = async {
        while unfinished(&workspace.lake()).iter().any(is_leftover) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    assert!(tokio::time::timeout(Duration::from_secs(20), removed).await.is_ok(), "its leftovers were not removed");
    lake.sweep().await.unwrap();
    assert_eq!(unfinished(&workspace.lake()).len(), 6, "another worker may be writing them");
    clock.advance_ms(HOUR + 60_000);
    lake.sweep().await.unwrap();
    assert_eq!(unfinished(&workspace.lake()), Vec::<String>::new());
    lake.shutdown(Duration::from_secs(5)).await;
}
