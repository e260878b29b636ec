//! The cost of an erasure for shipping and for the lake's files.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use touchline_datalake::{Person, Table};

use crate::support::{self, Workspace, send, until_created, until_shipped, visit};

fn person(n: u64) -> Person {
    Person { user_id: Some(n.to_string()), email: Some(format!("p{n}@example.com")), ..Person::default() }
}

#[tokio::test]
async fn events_ship_while_a_person_is_erased_from_a_slow_lake() {
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
    let mut erasing = tokio::spawn({
        let lake = lake.clone();
        async move { lake.erase_person(person(1)).await }
    });
    let shipping = tokio::time::timeout(Duration::from_secs(10), async {
        // Lets the erasure begin.
        tokio::task::yield_now().await;
        send(&lake, now, &[visit(1, now)]).await;
        until_shipped(&lake, 2).await;
    });
    let shipped = tokio::select! {
        _ = &mut erasing => panic!("the erasure did not wait for the log"),
        shipped = shipping => shipped,
    };
    let _answers = std::fs::File::options().read(true).write(true).open(&pipe).unwrap();
    assert!(shipped.is_ok(), "no event was shipped during the erasure");
    let _ = erasing.await.unwrap();
}

#[tokio::test]
async fn people_who_wait_are_removed_from_a_file_in_one_go() {
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
    let erased: Vec<_> =
        erased.into_iter().map(|erased| erased.unwrap()).map(|erased| (erased.rows, erased.files)).collect();
    assert_eq!(erased, vec![(FILES, FILES); erased.len()]);
    let rows = support::lake_rows(&workspace.lake(), Table::Event);
    assert_eq!(rows.len() as u64, FILES * PEOPLE);
    assert!(!rows.iter().any(|row| row.contains_key("user_id") || row.contains_key("user_email")), "{rows:?}");
    let stored = support::stored_files(&workspace.lake(), Table::Event);
    let rewritten = stored.iter().filter(|path| path.display().to_string().contains("erased-")).count() as u64;
    // Those who come while the first one is being erased wait for each other.
    assert!(rewritten <= 2 * FILES, "{rewritten} files were written");
    let log = workspace.lake().join("event/_delta_log");
    let updates = std::fs::read_dir(log).unwrap().map(|entry| std::fs::read(entry.unwrap().path()).unwrap());
    let updates = updates.filter(|text| String::from_utf8_lossy(text).contains(r#""operation":"UPDATE""#)).count();
    assert!(updates <= 2, "{updates} commits");
}
