//! Events ship while people are erased, and those who wait are erased together.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::time::timeout;
use touchline_datalake::{Datalake, Person, Table};

use crate::support::{self, Workspace, send, until, until_created, until_shipped, visit};

fn person(n: u64) -> Person {
    Person { user_id: Some(n.to_string()), email: Some(format!("p{n}@example.com")), ..Person::default() }
}

/// Starts the erasure of a person and ships event 1 to the first sink meanwhile, within a second of its batch's age.
async fn ships_during_an_erasure(lake: &Datalake, now: i64) {
    let mut erasing = tokio::spawn({
        let lake = lake.clone();
        async move { lake.erase_person(person(1)).await }
    });
    let shipping = timeout(Duration::from_secs(5), async {
        // Lets the erasure begin.
        tokio::time::sleep(Duration::from_millis(50)).await;
        send(lake, now, &[visit(1, now)]).await;
        until(lake, "shipped to the lake", |rows| rows.iter().any(|row| row.shipped == 2)).await;
    });
    let shipped = tokio::select! {
        erased = &mut erasing => panic!("the erasure did not wait: {erased:?}"),
        shipped = shipping => shipped,
    };
    erasing.abort();
    assert!(shipped.is_ok(), "no event was shipped during the erasure");
}

#[tokio::test]
async fn events_ship_while_an_erasure_waits_for_a_slow_lake() {
    let workspace = Workspace::new();
    let lake = workspace.open().await;
    until_created(&workspace.lake()).await;
    let now = workspace.clock.now_ms();
    send(&lake, now, &[visit(0, now)]).await;
    until_shipped(&lake, 1).await;
    // The log of a table without events does not answer.
    let log = workspace.lake().join(Table::Session.name()).join("_delta_log");
    let versions = std::fs::read_dir(&log).unwrap().map(|entry| entry.unwrap().path());
    let next = versions.filter(|path| path.extension().is_some_and(|kind| kind == "json")).count();
    let pipe = log.join(format!("{next:020}.json"));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    ships_during_an_erasure(&lake, now).await;
    let _answers = std::fs::File::options().read(true).write(true).open(&pipe).unwrap();
}

#[tokio::test]
async fn events_ship_while_an_erasure_waits_for_a_sink_that_does_not_answer() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut workspace = Workspace::new();
    workspace.sinks.push(format!("http:http://{}", silent.local_addr().unwrap()).parse().unwrap());
    let lake = workspace.open().await;
    let now = workspace.clock.now_ms();
    send(&lake, now, &[visit(0, now)]).await;
    until(&lake, "shipped to the lake", |rows| rows.iter().any(|row| row.shipped == 1)).await;
    let request = tokio::task::spawn_blocking(move || silent.accept());
    let _request = timeout(Duration::from_secs(5), request).await.unwrap().unwrap().unwrap();
    ships_during_an_erasure(&lake, now).await;
}

#[tokio::test]
async fn people_who_wait_are_erased_together() {
    const PEOPLE: u64 = 20;
    const FILES: u64 = 3;
    let workspace = Workspace::new();
    let lake = workspace.open().await;
    let now = workspace.clock.now_ms();
    for file in 0..FILES {
        let by = |n: u64| {
            let body = json!({"event": "visit", "user_id": n, "user_email": format!("p{n}@example.com")});
            support::event(file * PEOPLE + n, "/datalake/event/", now, body)
        };
        let events: Vec<Value> = (0..PEOPLE).map(by).collect();
        send(&lake, now, &events).await;
        until_shipped(&lake, (file + 1) * PEOPLE).await;
    }
    let erased = join_all((0..PEOPLE).map(|n| lake.erase_person(person(n)))).await;
    let erased: Vec<_> = erased.into_iter().map(Result::unwrap).map(|erased| (erased.rows, erased.files)).collect();
    assert_eq!(erased, vec![(FILES, FILES); erased.len()]);
    let rows = support::lake_rows(&workspace.lake(), Table::Event);
    assert_eq!(rows.len() as u64, FILES * PEOPLE);
    assert!(!rows.iter().any(|row| row.contains_key("user_id") || row.contains_key("user_email")), "{rows:?}");
    let stored = support::stored_files(&workspace.lake(), Table::Event);
    let rewritten = stored.iter().filter(|path| path.display().to_string().contains("erased-")).count() as u64;
    assert_eq!(rewritten, FILES, "each file is rewritten once");
}
