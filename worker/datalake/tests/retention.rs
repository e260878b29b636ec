//! What a lake keeps, and what it removes: checkpoints that readers begin from, and files that a killed worker left.

#![expect(clippy::unwrap_used, reason = "what a test cannot do fails it")]

mod support;

use std::time::Duration;

use serde_json::{Value, json};
use support::{Place, duck, send, until_shipped, visit};
use touchline_datalake::Table;
use touchline_protocol::ambient::{Clock, ManualClock, SystemClock};

const HOUR: i64 = 60 * 60 * 1000;

#[tokio::test]
async fn readers_find_a_checkpoint_a_day_after_the_last_commit() {
    let clock = ManualClock::at_ms(SystemClock::default().now_ms());
    let mut place = Place { clock: clock.clone(), ..Place::new() };
    place.limits.close_events = 3;
    let lake = place.open().await;
    for part in 0..120 {
        let now = clock.now_ms();
        let visits: Vec<Value> = (part * 3..(part + 1) * 3).map(|n| visit(n, now)).collect();
        send(&lake, now, &visits).await;
        clock.advance_ms(1_000);
    }
    until_shipped(&lake, 360).await;
    clock.advance_ms(25 * HOUR);
    lake.sweep().await.unwrap();
    assert_eq!(duck::counts_of(&place.lake(), Table::Event, "-1"), [json!([360, 360, 360, 360])]);
    lake.shutdown(Duration::from_secs(5)).await;

    // A lake from which an earlier build removed the checkpoint that the hint names.
    let log = place.lake().join("event/_delta_log");
    let hint: Value = serde_json::from_slice(&std::fs::read(log.join("_last_checkpoint")).unwrap()).unwrap();
    assert_eq!(hint["version"], 100);
    std::fs::remove_file(log.join(format!("{:020}.checkpoint.parquet", 100))).unwrap();
    let lake = place.open().await;
    let now = clock.now_ms();
    send(&lake, now, &[visit(360, now)]).await;
    clock.advance_ms(100);
    until_shipped(&lake, 361).await;
    assert_eq!(duck::counts_of(&place.lake(), Table::Event, "-1"), [json!([361, 361, 361, 361])]);
    lake.shutdown(Duration::from_secs(5)).await;
}
