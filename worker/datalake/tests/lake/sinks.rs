//! Refusals of sinks, and what becomes of the events.

use std::time::Duration;

use crate::support::http::Server;
use crate::support::{self, Workspace, id, ids, outcomes, send, until, until_shipped, visit};
use serde_json::{Value, json};
use touchline_datalake::{DeadLetterFilter, DeadReason, Person, SinkConfig, SinkSecret, Table};

fn http(url: &str) -> SinkConfig {
    SinkConfig::Http(url.to_owned())
}

fn visits(numbers: std::ops::Range<u64>, at: i64) -> Vec<Value> {
    numbers.map(|n| visit(n, at)).collect()
}

#[tokio::test]
async fn refused_events_become_typed_dead_letters_and_are_requeued_for_that_sink_only() {
    let server = Server::start().await;
    server.poison((0..200).step_by(20).map(id));
    let mut workspace = Workspace::new();
    workspace.sinks.push(http(&server.url));
    let lake = workspace.open().await;
    let now = workspace.clock.now_ms();
    send(&lake, now, &visits(0..200, now)).await;
    until(&lake, "settled", |rows| rows.iter().all(|row| row.queued == 0) && lake.status().dead_letters == 10).await;
    assert_eq!(server.ids().len(), 190);
    assert_eq!(server.calls()[0].0, "/v1/datalake/event/");
    let (total, letters) = lake.dead_letters(DeadLetterFilter::default(), 3, 4).await.unwrap();
    assert_eq!((total, letters.len(), letters[0].id.to_string()), (10, 3, id(80)));
    assert_eq!((letters[0].table, letters[0].detail.as_str()), (Table::Event, "422: no suchevent"));

    let nothing = DeadLetterFilter { sink: Some("lake:/other".to_owned()), ..DeadLetterFilter::default() };
    assert_eq!(lake.requeue(nothing).await.unwrap().requeued, 0);
    server.poison([]);
    assert_eq!(lake.requeue(DeadLetterFilter::default()).await.unwrap().requeued, 10);
    until_shipped(&lake, 200).await;
    assert_eq!(server.ids(), ids(0..200));
    assert_eq!(support::lake_ids(&workspace.lake(), Table::Event), ids(0..200));
    assert_eq!(lake.status().dead_letters, 0);
}

#[tokio::test]
async fn a_sink_waits_while_dead_letters_are_full_and_loses_none() {
    let server = Server::start().await;
    server.poison((0..20).map(id));
    let mut workspace = Workspace::new();
    workspace.sinks = vec![http(&server.url)];
    workspace.limits.dead_letters = 5;
    let lake = workspace.open().await;
    let now = workspace.clock.now_ms();
    send(&lake, now, &visits(0..20, now)).await;
    until(&lake, "in trouble", |_| {
        lake.status().troubles.iter().any(|trouble| trouble.reason.contains("dead letters"))
    })
    .await;
    let row = lake.ledger().into_iter().find(|row| row.table == Table::Event).unwrap();
    assert_eq!((row.queued, row.dead_lettered), (20, 0));
    lake.shutdown(Duration::ZERO).await;
}

#[tokio::test]
async fn a_receiver_recognises_each_request_by_its_signature() {
    for path in ["", "/datalake/batch"] {
        let server = Server::start().await;
        server.require_signature("the secret of sink and worker");
        let mut workspace = Workspace::new();
        workspace.sinks = vec![http(&format!("{}{path}", server.url))];
        let now = workspace.clock.now_ms();
        for (secret, received) in
            [(None, 0), (Some("another secret of that length"), 0), (Some("the secret of sink and worker"), 3)]
        {
            workspace.sink_secret = secret.and_then(SinkSecret::new);
            let lake = workspace.open().await;
            if secret.is_none() {
                send(&lake, now, &visits(0..3, now)).await;
            }
            if received == 0 {
                until(&lake, "refused", |_| {
                    lake.status().troubles.iter().any(|trouble| trouble.reason == "the answer was 401")
                })
                .await;
            } else {
                until(&lake, "shipped", |rows| rows.iter().all(|row| row.queued == 0)).await;
            }
            assert_eq!(server.ids().len(), received, "{path}: {secret:?}");
            lake.shutdown(Duration::ZERO).await;
        }
    }
}

#[tokio::test]
async fn a_worker_accepts_another_workers_batches_without_duplicates() {
    let far = Workspace::new();
    let upstream = far.open().await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/datalake/batch", listener.local_addr().unwrap());
    let router = upstream.router().split_for_parts().0;
    tokio::spawn(async move { axum::serve(listener, router).await });

    let mut near = Workspace::new();
    near.sinks = vec![http(&url)];
    let lake = near.open().await;
    let now = near.clock.now_ms();
    // The receiver has these already. Duplicates count as shipped.
    send(&upstream, now, &visits(0..3, now)).await;
    for start in [0, 400, 800] {
        send(&lake, now, &visits(start..start + 400, now - 5000)).await;
    }
    until_shipped(&lake, 1200).await;
    until_shipped(&upstream, 1200).await;
    assert_eq!(support::lake_ids(&far.lake(), Table::Event), ids(0..1200));
    let row = support::lake_rows(&far.lake(), Table::Event).into_iter().find(|row| row["event_id"] == id(700)).unwrap();
    let occurred: i64 = row["occurred_at"].parse().unwrap();
    assert!((occurred - (now - 5000) * 1000).abs() < 60_000_000, "{occurred} {now}");
}

#[tokio::test]
async fn a_person_is_erased_from_the_queue_the_dead_letters_and_the_lake() {
    let server = Server::start().await;
    let mut workspace = Workspace::new();
    workspace.sinks.push(http(&server.url));
    let lake = workspace.open().await;
    let now = workspace.clock.now_ms();
    let by = |n: u64, email: &str| {
        support::event(n, "/datalake/event/", now, json!({"event": "visit", "user_id": n, "user_email": email}))
    };
    // One event in the lake that is also a dead letter, one only in the lake, one in the queue of the unreachable sink.
    server.poison([id(1)]);
    send(&lake, now, &[by(1, "ann@example.com"), by(2, "bo@example.com")]).await;
    until(&lake, "settled", |rows| rows.iter().all(|row| row.queued == 0)).await;
    server.answer_with(503);
    send(&lake, now, &[by(3, "Ann@Example.com")]).await;
    until(&lake, "shipped to the lake", |rows| rows.iter().any(|row| row.shipped == 3)).await;

    let person = || Person { email: Some("ann@example.com".to_owned()), ..Person::default() };
    let stranger =
        Person { user_id: Some("9".to_owned()), email: Some("ed@example.com".to_owned()), ..Person::default() };
    assert_eq!(lake.erase_person(stranger).await.unwrap().passed_over, 2, "a file was read for an unknown person");
    let erased = lake.erase_person(person()).await.unwrap();
    assert_eq!((erased.queued, erased.rows, erased.files), (2, 2, 2));
    let again = lake.erase_person(person()).await.unwrap();
    assert_eq!(
        (again.queued, again.rows, again.files, again.passed_over),
        (0, 0, 0, 2),
        "the files say that she is gone"
    );
    let mut rows = support::lake_rows(&workspace.lake(), Table::Event);
    rows.sort_by(|a, b| a["event_id"].cmp(&b["event_id"]));
    let emails: Vec<_> = rows.iter().map(|row| row.get("user_email").map(String::as_str)).collect();
    assert_eq!(emails, [None, Some("bo@example.com"), None]);
    assert!(!rows.iter().any(|row| row.get("user_id").is_some_and(|id| id != "2")));

    server.poison([]);
    server.answer_with(200);
    lake.requeue(DeadLetterFilter::default()).await.unwrap();
    until_shipped(&lake, 3).await;
    let bodies: Vec<_> = server.calls().into_iter().map(|(_, _, body)| body).collect();
    assert!(bodies.iter().all(|body| !body.to_string().to_lowercase().contains("ann@")), "{bodies:?}");
    assert_eq!(outcomes(&send(&lake, now, &[by(1, "x@example.com")]).await), ["duplicate"]);
}

#[tokio::test]
async fn an_event_refused_before_an_erasure_becomes_a_dead_letter_without_the_person() {
    let server = Server::start().await;
    let mut workspace = Workspace::new();
    workspace.sinks = vec![http(&server.url)];
    let lake = workspace.open().await;
    let now = workspace.clock.now_ms();
    let body = json!({"event": "visit", "user_id": 5, "user_email": "cara@example.com"});
    // One event is refused for good, the other is not accepted yet: the batch stays open.
    server.poison([id(1)]);
    server.answer_with(503);
    send(&lake, now, &[support::event(1, "/datalake/event/", now, body), visit(2, now)]).await;
    until(&lake, "in trouble", |_| !lake.status().troubles.is_empty()).await;
    let person =
        Person { user_id: Some("5".to_owned()), email: Some("cara@example.com".to_owned()), ..Person::default() };
    assert_eq!(lake.erase_person(person).await.unwrap().queued, 1);

    server.answer_with(200);
    until(&lake, "settled", |rows| rows.iter().all(|row| row.queued == 0)).await;
    let (_, letters) = lake.dead_letters(DeadLetterFilter::default(), 10, 0).await.unwrap();
    let letter = (letters[0].id.to_string(), letters[0].body.get(), letters[0].detail.as_str());
    assert_eq!((letters.len(), letter), (1, (id(1), r#"{"event":"visit"}"#, "")));
    server.poison([]);
    lake.requeue(DeadLetterFilter::default()).await.unwrap();
    until_shipped(&lake, 2).await;
    assert!(server.calls().iter().all(|(_, _, body)| body.get("user_email").is_none()), "{:?}", server.calls());
}

/// Whether any file in a folder contains a text.
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
fn contains_text(folder: &std::path::Path, text: &str) -> bool {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).any(|path| {
        if path.is_dir() {
            return contains_text(&path, text);
        }
        let bytes = std::fs::read(&path).unwrap();
        bytes.windows(text.len()).any(|window| window.eq_ignore_ascii_case(text.as_bytes()))
    })
}

/// `AUTH-12`.
#[tokio::test]
async fn an_erased_person_leaves_the_queues_folder_and_their_late_events() {
    let server = Server::start().await;
    let mut workspace = Workspace::new();
    workspace.sinks.push(http(&server.url));
    let lake = workspace.open().await;
    let now = workspace.clock.now_ms();
    let by = |n: u64, user: u64, email: &str| {
        support::event(n, "/datalake/event/", now, json!({"event": "visit", "user_id": user, "user_email": email}))
    };
    server.answer_with(503);
    send(&lake, now, &[by(1, 7, "ann@example.com"), by(2, 8, "bo@example.com")]).await;
    until(&lake, "shipped to the lake", |rows| rows.iter().any(|row| row.shipped == 2)).await;
    assert!(contains_text(&workspace.queue(), "ann@example.com"));
    let epoch = lake.status().epoch;
    let ann = Person {
        user_id: Some("7".to_owned()),
        email: Some("ann@example.com".to_owned()),
        deleted_us: Some(now * 1000),
    };
    assert_eq!(lake.erase_person(ann).await.unwrap().queued, 1);
    assert_ne!(lake.status().epoch, epoch, "the old folder still exists");
    assert!(!contains_text(&workspace.queue(), "ann@example.com"), "the queue's folder still has the address");
    assert!(contains_text(&workspace.queue(), "bo@example.com"));

    // Her late events come from a browser, also after a restart.
    send(&lake, now, &[by(3, 7, "ann@example.com")]).await;
    lake.shutdown(Duration::ZERO).await;
    drop(lake);
    let lake = workspace.open().await;
    send(&lake, now, &[by(4, 7, "Ann@Example.com"), by(5, 9, "joann@example.com")]).await;
    let link = json!({"event": "visit", "origin_url": "https://x/verify-email?email=ann%40example.com"});
    send(&lake, now, &[support::event(6, "/datalake/event/", now - 60_000, link)]).await;
    server.answer_with(200);
    until_shipped(&lake, 6).await;
    let reported: Vec<_> = server.calls().into_iter().map(|(_, _, body)| body.to_string().to_lowercase()).collect();
    assert!(!reported.iter().any(|body| body.contains("\"ann@") || body.contains("=ann%40")), "{reported:?}");
    assert!(reported.iter().any(|body| body.contains("joann@")), "{reported:?}");
    assert!(!contains_text(&workspace.queue(), "\"ann@example.com"));
    let rows = support::lake_rows(&workspace.lake(), Table::Event);
    assert_eq!(rows.len(), 6, "each event exists once");
    assert!(!rows.iter().any(|row| row.get("user_id").is_some_and(|id| id == "7")), "{rows:?}");
    lake.shutdown(Duration::from_secs(5)).await;
}

#[tokio::test]
async fn only_the_faulty_events_of_a_refused_batch_become_dead_letters() {
    let server = Server::start().await;
    server.poison([id(0), id(7), id(8), id(599)]);
    let mut workspace = Workspace::new();
    workspace.sinks = vec![http(&format!("{}/batch", server.url))];
    let lake = workspace.open().await;
    let now = workspace.clock.now_ms();
    for start in [0, 300] {
        send(&lake, now, &visits(start..start + 300, now)).await;
    }
    until(&lake, "settled", |rows| rows.iter().all(|row| row.queued == 0)).await;
    assert_eq!(server.ids(), ids((0..600).filter(|n| ![0, 7, 8, 599].contains(n))));
    let (total, letters) = lake.dead_letters(DeadLetterFilter::default(), 10, 0).await.unwrap();
    let found: Vec<_> = letters.iter().map(|letter| letter.id.to_string()).collect();
    assert_eq!((total, found), (4, ids([0, 7, 8, 599].into_iter())));
    assert!(letters.iter().all(|letter| letter.reason == DeadReason::Refused && letter.detail == "422: no suchevent"));
    server.poison([]);
    lake.requeue(DeadLetterFilter::default()).await.unwrap();
    until_shipped(&lake, 600).await;
    assert_eq!(server.ids(), ids(0..600));
}

#[tokio::test]
async fn an_answer_about_configuration_or_load_is_retried_without_dead_letters() {
    let mut workspace = Workspace::new();
    workspace.sinks.clear();
    let mut servers = Vec::new();
    for (n, status) in [401, 403, 404, 408, 429, 500].into_iter().enumerate() {
        let server = Server::start().await;
        server.answer_with(status);
        workspace.sinks.push(http(&if n % 2 == 0 { format!("{}/batch", server.url) } else { server.url.clone() }));
        servers.push((server, status));
    }
    let lake = workspace.open().await;
    let now = workspace.clock.now_ms();
    send(&lake, now, &visits(0..5, now)).await;
    until(&lake, "in trouble everywhere", |_| lake.status().troubles.len() == servers.len()).await;
    let reasons: Vec<_> = lake.status().troubles.into_iter().map(|trouble| trouble.reason).collect();
    for (server, status) in &servers {
        assert!(reasons.contains(&format!("the answer was {status}")), "{reasons:?}");
        server.answer_with(200);
    }
    until_shipped(&lake, 5).await;
    assert_eq!(lake.status().dead_letters, 0);
    assert!(servers.iter().all(|(server, _)| server.ids() == ids(0..5)));
}
