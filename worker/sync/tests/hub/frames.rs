//! The frame contract: every way to open and to close a socket.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::support::{Server, TIMEOUT, eventually, patient_limits};
use futures_util::SinkExt;
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;
use touchline_protocol::sync::StatusKind;
use touchline_sync::{Limits, Scope};

async fn refusal_of(frame: Message) -> (Option<String>, u16) {
    let server = Server::start(patient_limits()).await;
    let mut client = server.connect().await;
    client.ws.send(frame).await.unwrap();
    client.end().await
}

fn error(code: &str, close: u16) -> (Option<String>, u16) {
    (Some(code.to_owned()), close)
}

#[tokio::test]
async fn a_first_frame_that_is_not_a_hello_closes_with_4400() {
    for frame in [
        "not json".to_owned(),
        "[]".to_owned(),
        json!({ "t": "pong" }).to_string(),
        json!({ "t": "dance" }).to_string(),
        json!({ "t": "hello", "v": 1 }).to_string(),
        json!({ "t": "hello", "v": 1, "api_key": "ann", "extra": true }).to_string(),
        json!({ "t": "hello", "v": 1, "api_key": "ann", "resume": { "epoch": "e1", "channel_seq": -1 } }).to_string(),
    ] {
        assert_eq!(refusal_of(Message::text(frame.clone())).await, error("bad_frame", 4400), "{frame}");
    }
    assert_eq!(refusal_of(Message::binary(vec![1, 2, 3])).await, error("bad_frame", 4400));
}

#[tokio::test]
async fn another_version_closes_with_4409_regardless_of_other_fields() {
    let hello = json!({ "t": "hello", "v": 2, "token": "what version 2 might say" });
    assert_eq!(refusal_of(Message::text(hello.to_string())).await, error("version", 4409));
}

#[tokio::test]
async fn an_unknown_key_closes_with_4401() {
    let hello = json!({ "t": "hello", "v": 1, "api_key": "nobody" });
    assert_eq!(refusal_of(Message::text(hello.to_string())).await, error("api_key", 4401));
}

#[tokio::test]
async fn a_frame_over_the_limit_closes_with_4413() {
    let big = json!({ "t": "hello", "v": 1, "api_key": "x".repeat(9_000) });
    assert_eq!(refusal_of(Message::text(big.to_string())).await, error("too_big", 4413));
}

#[tokio::test]
async fn silence_closes_with_4408() {
    let server = Server::start(Limits { hello_within: Duration::from_millis(50), ..patient_limits() }).await;
    let mut client = server.connect().await;
    assert_eq!(client.end().await, error("no_hello", 4408));
}

#[tokio::test]
async fn a_foreign_origin_closes_with_4403_and_the_same_or_no_origin_is_welcome() {
    let server = Server::start(patient_limits()).await;
    let mut foreign = server.connect_from(Some("https://evil.example")).await;
    assert_eq!(foreign.end().await, error("origin", 4403));

    let same_origin = format!("http://{}", server.address);
    for origin in [Some(same_origin.as_str()), None] {
        let mut client = server.connect_from(origin).await;
        client.hello("anonymous", None).await;
        assert_eq!(client.next().await["t"], "welcome");
    }
}

#[tokio::test]
async fn an_invalid_frame_after_the_welcome_closes_with_4400() {
    let server = Server::start(patient_limits()).await;
    let hello = json!({ "t": "hello", "v": 1, "api_key": "ann" });
    for frame in [hello, json!({ "t": "watch", "kind": "event" }), json!({ "t": "watch", "kind": "poem", "id": 1 })] {
        let (mut client, _) = server.welcome("ann", None).await;
        client.send(frame.clone()).await;
        assert_eq!(client.end().await, error("bad_frame", 4400), "{frame}");
    }
}

#[tokio::test]
async fn a_revoked_key_closes_its_sockets_with_4401_and_no_others() {
    let server = Server::start(patient_limits()).await;
    let (mut ann, _) = server.welcome("ann", None).await;
    let (mut bob, _) = server.welcome("bob", None).await;
    server.log.revoke("ann");
    assert_eq!(ann.end().await, error("api_key", 4401));
    server.log.write_and_notify(&Scope::User(2), 7);
    assert_eq!(bob.next().await["id"], 7);
}

#[tokio::test]
async fn more_sockets_than_a_key_may_open_close_with_4429() {
    let server = Server::start(Limits { per_key: 2, ..patient_limits() }).await;
    let (first, _) = server.welcome("ann", None).await;
    let (_second, _) = server.welcome("ann", None).await;
    let mut third = server.connect().await;
    third.hello("ann", None).await;
    assert_eq!(third.end().await, error("too_many", 4429));

    drop(first);
    server.sockets_become(1).await;
    server.welcome("ann", None).await;
}

#[tokio::test]
async fn more_sockets_than_an_address_may_open_close_with_4429_before_any_hello() {
    let server = Server::start(Limits { per_address: 1, ..patient_limits() }).await;
    let _first = server.connect().await;
    server.sockets_become(1).await;
    let mut second = server.connect().await;
    assert_eq!(second.end().await, error("too_many", 4429));
}

#[tokio::test]
async fn a_flood_of_frames_or_watches_closes_with_4429() {
    let server = Server::start(Limits { frames_per_ping: 10, watches: 3, ..patient_limits() }).await;
    let (mut frames, _) = server.welcome("ann", None).await;
    for _ in 0..11 {
        frames.send(json!({ "t": "pong" })).await;
    }
    assert_eq!(frames.end().await, error("flood", 4429));

    let (mut watches, _) = server.welcome("ann", None).await;
    for id in 0..4 {
        watches.send(json!({ "t": "watch", "kind": "order", "id": id })).await;
    }
    assert_eq!(watches.end().await, error("flood", 4429));
}

#[tokio::test]
async fn a_watch_reaches_the_source_and_ends_with_its_socket() {
    let server = Server::start(patient_limits()).await;
    let (mut client, _) = server.welcome("ann", None).await;
    for id in [1, 2] {
        client.send(json!({ "t": "watch", "kind": "clip", "id": id })).await;
    }
    eventually(|| server.log.watched.lock().len() == 2).await;
    client.send(json!({ "t": "unwatch", "kind": "clip", "id": 1 })).await;
    eventually(|| *server.log.watched.lock() == [(StatusKind::Clip, 2)].into()).await;
    drop(client);
    eventually(|| server.log.watched.lock().is_empty()).await;
}

#[tokio::test]
async fn two_pings_without_a_pong_close_a_socket() {
    let server = Server::start(Limits { ping: Duration::from_millis(400), ..Limits::default() }).await;
    let (mut client, welcome) = server.welcome("ann", None).await;
    assert_eq!(welcome["ping_ms"], 400);
    for _ in 0..4 {
        assert_eq!(client.next().await["t"], "ping");
        client.send(json!({ "t": "pong" })).await;
    }
    // Silent from now on: two more pings arrive, then the close.
    assert_eq!(client.next().await["t"], "ping");
    assert_eq!(client.next().await["t"], "ping");
    assert_eq!(client.next_or_close().await, Err(1001));
    server.sockets_become(0).await;
}

#[tokio::test]
async fn a_source_that_cannot_be_read_closes_with_1013() {
    let server = Server::start(patient_limits()).await;
    *server.log.broken.lock() = true;
    let mut client = server.connect().await;
    client.hello("ann", None).await;
    assert_eq!(client.end().await, error("unavailable", 1013));
}

#[tokio::test]
async fn a_drain_notifies_everyone_waits_and_closes_remaining_sockets() {
    let server = Server::start(patient_limits()).await;
    let (mut leaves, _) = server.welcome("ann", None).await;
    let (mut stays, _) = server.welcome("bob", None).await;
    let mut silent = server.connect().await;
    server.sockets_become(3).await;

    let hub = server.hub.clone();
    let drained = tokio::spawn(async move { hub.drain(Duration::from_millis(300)).await });
    assert_eq!(leaves.next().await, json!({ "t": "drain", "window_ms": 300 }));
    assert_eq!(stays.next().await["t"], "drain");
    leaves.ws.close(None).await.unwrap();
    assert_eq!(stays.next_or_close().await, Err(1001));
    assert_eq!(silent.next_or_close().await, Err(1001));
    drained.await.unwrap();
    assert_eq!(server.hub.sockets(), 0);
}

#[tokio::test]
async fn a_slow_reader_closes_with_4429_and_others_receive_everything() {
    // Forty megabytes do not fit into the buffers of the kernel and the queue.
    const STATUSES: u64 = 4_000;
    const QUEUE: usize = 64;
    let server = Server::start(Limits { queue: QUEUE, farewell: TIMEOUT * 60, ..patient_limits() }).await;
    *server.log.padding.lock() = 10_000;
    let (mut slow, _) = server.welcome("ann", None).await;
    let (mut quick, _) = server.welcome("bob", None).await;
    let channel = Scope::Channel("northfield".into());

    let read = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&read);
    let reading = tokio::spawn(async move {
        for seq in 1..=STATUSES {
            assert_eq!(quick.next().await["seq"], seq);
            counted.store(seq, Ordering::SeqCst);
        }
    });
    for written in 0..STATUSES {
        // Never more than half a queue ahead of the quick reader, which therefore keeps up.
        eventually(|| reading.is_finished() || written < read.load(Ordering::SeqCst) + QUEUE as u64 / 2).await;
        server.log.write_and_notify(&channel, written as i64);
    }
    reading.await.unwrap();

    let mut received = 0;
    let end = loop {
        match slow.next_or_close().await {
            Ok(frame) if frame["t"] == "status" => {
                received += 1;
                assert_eq!(frame["seq"], received, "gap in the received statuses");
            }
            Ok(frame) => assert_eq!(frame["code"], "slow", "{frame}"),
            Err(code) => break code,
        }
    };
    assert_eq!(end, 4429);
    assert!(received < STATUSES, "it was not closed early");
}
