//! Handshake: either resumed completely, or a snapshot.

use crate::support::{Client, Log, Server, patient_limits};
use serde_json::{Value, json};
use touchline_sync::{Limits, Scope};

fn channel() -> Scope {
    Scope::Channel("northfield".into())
}

async fn statuses(client: &mut Client, count: usize) -> Vec<(String, u64)> {
    let mut received = Vec::new();
    for _ in 0..count {
        let frame = client.next().await;
        assert_eq!(frame["t"], "status", "{frame}");
        received.push((frame["stream"].as_str().unwrap().to_owned(), frame["seq"].as_u64().unwrap()));
    }
    received
}

/// Asserts that nothing else is waiting: the next frame is the one written now.
async fn nothing_more(server: &Server, client: &mut Client) {
    let status = server.log.write_and_notify(&channel(), 999);
    let frame = client.next().await;
    assert_eq!((&frame["t"], frame["seq"].as_u64()), (&json!("status"), Some(status.seq)));
}

#[tokio::test]
async fn the_first_welcome_is_a_snapshot_of_the_channel_and_of_a_signed_in_user() {
    let server = Server::start(patient_limits()).await;
    server.log.write(&channel(), 10);
    server.log.write(&channel(), 10);
    server.log.write(&Scope::User(1), 20);
    server.log.write(&Scope::User(2), 30);

    let (_, ann) = server.welcome("ann", None).await;
    assert_eq!((&ann["mode"], &ann["channel_seq"], &ann["user_seq"]), (&json!("snapshot"), &json!(2), &json!(1)));
    let of = |item: &Value| (item["stream"].clone(), item["id"].clone(), item["version"].clone());
    let items: Vec<_> = ann["snapshot"].as_array().unwrap().iter().map(of).collect();
    assert_eq!(items, [(json!("channel"), json!(10), json!(2)), (json!("user"), json!(20), json!(1))]);

    let (_, anyone) = server.welcome("anonymous", None).await;
    assert_eq!(anyone.get("user_seq"), None);
    assert_eq!(anyone["snapshot"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_resumed_socket_receives_exactly_the_missed_statuses() {
    let server = Server::start(patient_limits()).await;
    let (client, welcome) = server.welcome("ann", None).await;
    drop(client);
    for id in 0..3 {
        server.log.write(&channel(), id);
        server.log.write(&Scope::User(1), id);
        server.log.write(&Scope::User(2), id);
    }
    let resume = json!({ "epoch": welcome["epoch"], "channel_seq": 1, "user_seq": 2 });
    let (mut client, welcome) = server.welcome("ann", Some(resume)).await;
    assert_eq!((&welcome["mode"], welcome.get("snapshot")), (&json!("resumed"), None));
    assert_eq!((&welcome["channel_seq"], &welcome["user_seq"]), (&json!(1), &json!(2)), "the client's own positions");
    let missed = [("channel".to_owned(), 2), ("channel".to_owned(), 3), ("user".to_owned(), 3)];
    assert_eq!(statuses(&mut client, 3).await, missed);
    nothing_more(&server, &mut client).await;
}

#[tokio::test]
async fn a_socket_that_cannot_resume_completely_gets_a_snapshot() {
    let server = Server::start(Limits { backlog: 5, ..patient_limits() }).await;
    let (_, ann) = server.welcome("ann", None).await;
    let (_, bob) = server.welcome("bob", None).await;
    let (_, anyone) = server.welcome("anonymous", None).await;
    for id in 0..10 {
        server.log.write(&channel(), id);
        server.log.write(&Scope::User(1), id);
        server.log.write(&Scope::User(2), id);
    }
    server.log.prune(&Scope::User(1), 9);

    let resumes = [
        ("an unknown epoch", json!({ "epoch": "e0", "channel_seq": 10, "user_seq": 10 })),
        ("another user's positions", json!({ "epoch": bob["epoch"], "channel_seq": 10, "user_seq": 10 })),
        ("an anonymous viewer's positions", json!({ "epoch": anyone["epoch"], "channel_seq": 10 })),
        ("no position in the user's stream", json!({ "epoch": ann["epoch"], "channel_seq": 10 })),
        ("a position that was never given", json!({ "epoch": ann["epoch"], "channel_seq": 11, "user_seq": 10 })),
        ("too long a backlog", json!({ "epoch": ann["epoch"], "channel_seq": 4, "user_seq": 10 })),
        ("a log that does not reach back", json!({ "epoch": ann["epoch"], "channel_seq": 10, "user_seq": 7 })),
    ];
    for (why, resume) in resumes {
        let (_, welcome) = server.welcome("ann", Some(resume)).await;
        assert_eq!((&welcome["mode"], &welcome["channel_seq"]), (&json!("snapshot"), &json!(10)), "{why}");
    }
    let just = json!({ "epoch": ann["epoch"], "channel_seq": 5, "user_seq": 8 });
    let (mut client, welcome) = server.welcome("ann", Some(just)).await;
    assert_eq!(welcome["mode"], "resumed");
    assert_eq!(statuses(&mut client, 7).await.len(), 7);
}

#[tokio::test]
async fn a_new_epoch_of_the_source_prevents_resuming() {
    let server = Server::start(patient_limits()).await;
    let (_, old) = server.welcome("ann", None).await;
    *server.log.epoch.lock() = "e2".into();
    let resume = json!({ "epoch": old["epoch"], "channel_seq": 0, "user_seq": 0 });
    let (_, new) = server.welcome("ann", Some(resume)).await;
    assert_eq!(new["mode"], "snapshot");
    assert_ne!(new["epoch"], old["epoch"]);
}

#[tokio::test]
async fn reordered_repeated_or_lost_notices_arrive_once_and_in_order() {
    let server = Server::start(patient_limits()).await;
    let (mut client, _) = server.welcome("ann", None).await;
    let mine = Scope::User(1);
    let written: Vec<_> = (0..4).map(|id| server.log.write(&mine, id)).collect();
    // The second one has no notice; the third comes first, and again.
    for index in [2, 0, 2, 3, 3] {
        server.log.notify(&mine, written[index].clone());
    }
    let received: Vec<_> = statuses(&mut client, 4).await.into_iter().map(|(_, seq)| seq).collect();
    assert_eq!(received, [1, 2, 3, 4]);
    nothing_more(&server, &mut client).await;
}

#[tokio::test]
async fn after_a_feed_overrun_sockets_continue_from_the_log() {
    let server = Server::on(Log::new(2), patient_limits()).await;
    let (mut client, _) = server.welcome("ann", None).await;
    // Without an await in between the hub cannot receive, and a feed of two overruns.
    for id in 0..50 {
        server.log.write_and_notify(&Scope::User(1), id);
    }
    // The remaining notices are another user's, so they alone do not reveal the gap.
    for id in 0..2 {
        server.log.write_and_notify(&Scope::User(2), id);
    }
    let received: Vec<_> = statuses(&mut client, 50).await.into_iter().map(|(_, seq)| seq).collect();
    assert_eq!(received, (1..=50).collect::<Vec<_>>());

    // If positions restart in the meantime, the client reconnects for a snapshot.
    *server.log.epoch.lock() = "e2".into();
    for id in 0..50 {
        server.log.write_and_notify(&Scope::User(2), id);
    }
    assert_eq!(client.end().await, (Some("gap".to_owned()), 1013));
}

#[tokio::test]
async fn a_gap_in_the_log_makes_the_client_reconnect_for_a_snapshot() {
    let server = Server::start(patient_limits()).await;
    let (mut client, _) = server.welcome("ann", None).await;
    let mine = Scope::User(1);
    server.log.write(&mine, 1);
    let second = server.log.write(&mine, 2);
    server.log.prune(&mine, 2);
    server.log.notify(&mine, second);
    assert_eq!(client.end().await, (Some("gap".to_owned()), 1013));
}

/// `LIM-9`.
#[tokio::test]
async fn a_channels_snapshot_is_shared_until_its_next_status() {
    let server = Server::start(patient_limits()).await;
    let channel = Scope::Channel("northfield".into());
    // Longer than a frame of the worker, with content that a cut must not break.
    *server.log.padding.lock() = 10_000;
    for id in 1..=3 {
        server.log.write(&channel, id);
    }
    server.log.write(&Scope::User(1), 9);
    let ids = |welcome: &Value| {
        let items = welcome["snapshot"].as_array().unwrap().iter();
        items.map(|item| item["id"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    let mut open = Vec::new();
    for (key, wanted) in [("anonymous", &[1, 2, 3][..]), ("ann", &[1, 2, 3, 9]), ("bob", &[1, 2, 3])] {
        let (client, welcome) = server.welcome(key, None).await;
        assert_eq!(ids(&welcome), wanted, "{key}");
        open.push(client);
    }
    assert_eq!(*server.log.channel_reads.lock(), 1);

    server.log.write_and_notify(&channel, 4);
    for mut client in open {
        assert_eq!(client.next().await["id"], 4);
    }
    let (_client, welcome) = server.welcome("anonymous", None).await;
    assert_eq!((ids(&welcome), &welcome["channel_seq"]), (vec![1, 2, 3, 4], &json!(4)));
    assert_eq!(*server.log.channel_reads.lock(), 2);
}
