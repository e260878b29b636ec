//! Many viewers who wait for many orders (`UP-6`). `make soak` raises it to 5,000 viewers.

use std::time::Duration;

use reqwest::StatusCode;
use tokio::time::Instant;

use crate::support::{folder, fresh};
use crate::upstream::{Socket, start_proxy};
use crate::upstream_plain::Plain;

/// Shows UP-6a.
#[tokio::test]
async fn each_order_is_polled_once_every_two_seconds_for_all_viewers() {
    let viewers: usize = std::env::var("TOUCHLINE_UPSTREAM_VIEWERS").map_or(200, |count| count.parse().unwrap());
    let orders = (viewers / 10).max(1);
    let (_folder, data) = folder();
    let plain = Plain::start(&data.with_extension("plain"), 3_600_000).await;
    let limits = ["--limits-sockets-per-address", "100000", "--limits-calls-per-minute", "1000000"];
    let front = start_proxy(&data, &plain.origin, &limits);
    front.knows_upstream().await;
    let mut sockets = Vec::new();
    for _ in 0..orders {
        let key = front.register().await;
        let card = front.card(&key, "4242424242424242").await;
        let (status, answer) = front.buy_event(&key, &card, &fresh("buy")).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        for _ in 0..10 {
            let mut socket = Socket::open(&front, &key, None).await;
            socket.watch("order", &answer["data"]["id"]).await;
            sockets.push(socket);
        }
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    let (began, before, memory) = (Instant::now(), plain.count("GET orders/{id}").await, front.resident());
    tokio::time::sleep(Duration::from_secs(6)).await;
    let looks = plain.count("GET orders/{id}").await - before;
    let expected = began.elapsed().as_secs_f64() / 2.0 * orders as f64;
    println!("{} viewers, {orders} orders: {looks} looks, {expected:.0} expected", sockets.len());
    assert!(looks as f64 <= expected * 1.35, "{looks} looks where {expected} are expected");
    // A busy machine polls less often, and with few viewers most memory is the worker's own.
    let is_long = viewers >= 1_000;
    let least = if is_long { expected * 0.5 } else { orders as f64 };
    assert!(looks as f64 >= least, "{looks} looks where {expected} are expected");
    let resident = front.resident();
    assert!(!is_long || resident < memory + memory / 4, "{memory} bytes became {resident}");
}
