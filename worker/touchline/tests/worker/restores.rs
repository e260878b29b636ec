//! Numbers of receipts, and numbers after a restore (`OPS-53`, `ORDER-6`).

use std::path::Path;

use reqwest::header::{HOST, HeaderMap, HeaderValue};
use reqwest::{Client, Method};
use serde_json::{Value, json};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};

use crate::postgres::TestStore;
use crate::support::{Worker, done, folder, fresh, refused};
use crate::upstream::start_proxy;

/// Buys package 1 and returns the order's id and its receipt number.
pub(crate) async fn sale(worker: &Worker, key: &str) -> (i64, String) {
    let card = worker.card(key, "4242424242424242").await;
    let (_, placed) = worker.buy(key, &card, &fresh("buy")).await;
    assert_eq!(worker.settled(key, &placed["data"]["id"]).await["status"], "paid");
    let lines = worker.data(Method::GET, &format!("transactions?api_key={key}"), &Value::Null).await;
    (placed["data"]["id"].as_i64().unwrap(), lines[0]["receipt"].as_str().unwrap().to_owned())
}

/// A new viewer's key of the second demo channel, through whose host the worker is called from here on.
async fn register_at_second_channel(worker: &mut Worker) -> String {
    let host = HeaderMap::from_iter([(HOST, HeaderValue::from_static("laurentides.localhost"))]);
    worker.http = Client::builder().default_headers(host).build().unwrap();
    let key = worker.data(Method::POST, "get_api_key", &json!({ "channel_key": "laurentides" })).await;
    let body = json!({
        "api_key": key["api_key"], "first_name": "Vi", "last_name": "Ewer", "email": "vi@viewers.example",
        "password": "correct horse", "password_confirmation": "correct horse", "terms": true,
    });
    let registered = worker.data(Method::POST, "v2/auth/register", &body).await;
    registered["api_key"].as_str().unwrap().to_owned()
}

/// Neither channel's sales nor refunds change the other's numbers.
async fn channels_number_their_receipts_apart(store: TestStore) {
    let mut worker = store.start(&["--sandbox-delay-ms", "0"]);
    let (order, first) = sale(&worker, &worker.register().await).await;
    let year = first.strip_suffix("-000001").unwrap_or_else(|| panic!("{first}"));
    let number = |number: &str| number.replace("YEAR", year);
    done(&store.data, &["order", "refund", &order.to_string(), "--outside", "cheque 1"]);
    assert_eq!(sale(&worker, &worker.register().await).await.1, number("YEAR-000002"));

    let key = register_at_second_channel(&mut worker).await;
    let (other_order, receipt) = sale(&worker, &key).await;
    assert_eq!(receipt, number("YEAR-A2-000001"));
    done(&store.data, &["order", "refund", &other_order.to_string(), "--outside", "cheque 2"]);
    let lines = worker.data(Method::GET, &format!("transactions?api_key={key}"), &Value::Null).await;
    let refund = lines.as_array().unwrap().iter().find(|line| line["kind"] == "refund").unwrap();
    assert_eq!(refund["receipt"], number("R-YEAR-A2-000001"));
    assert_eq!(refund["of_receipt"], receipt);
}

/// Shows ORDER-6a, ORDER-6b.
#[tokio::test]
async fn channels_number_their_receipts_apart_in_a_file() {
    channels_number_their_receipts_apart(TestStore::sqlite()).await;
}

/// Shows ORDER-6a, ORDER-6b.
#[tokio::test]
async fn channels_number_their_receipts_apart_in_a_database() {
    channels_number_their_receipts_apart(TestStore::postgres().await).await;
}

/// Shows OPS-53a, OPS-53c, OPS-53d and ORDER-6c: what was sold between a backup and its restore keeps its numbers, and
/// the audit names it.
#[tokio::test]
async fn no_number_is_used_twice_after_a_restore() {
    let (_folder, data) = folder();
    let flags = ["--sandbox-delay-ms", "0", "--datalake-close-age-s", "1"];
    let worker = Worker::start(&data, &flags);
    let key = worker.register().await;
    done(&data, &["backup", "saved.sqlite"]);
    let (lost, receipt) = sale(&worker, &key).await;
    assert!(receipt.ends_with("-000001") && receipt.len() == 11, "{receipt}");
    assert!(worker.end().0.success());

    let mut orders = vec![lost];
    for series in ["B", "C"] {
        assert!(done(&data, &["restore", "saved.sqlite"]).contains("1,000,000 later"));
        let worker = Worker::start(&data, &flags);
        let (order, receipt) = sale(&worker, &key).await;
        assert!(receipt.ends_with(&format!("-{series}-000001")), "{receipt}");
        assert!(orders.iter().all(|earlier| *earlier < order), "{order} after {orders:?}");
        orders.push(order);
        assert!(worker.end().0.success());
    }
    let last = orders.pop().unwrap();
    let _worker = Worker::start(&data, &["--clock-offset", "3600"]);
    let output = refused(&data, &["audit"]);
    for order in orders {
        assert!(output.contains(&format!("order {order}: lake order: ")), "{output}");
    }
    assert!(!output.contains(&format!("order {last}: ")), "{output}");
}

/// The records of a worker in front of an upstream are in a file of their own.
#[tokio::test]
async fn a_worker_with_an_origin_is_restored_from_its_backup() {
    let ((_a, back), (_b, front)) = (folder(), folder());
    let back = Worker::start(&back, &[]);
    let origin = format!("http://{}", back.address);
    let proxy = start_proxy(&front, &origin, &[]);
    done(&front, &["backup", "saved.sqlite"]);
    assert!(proxy.end().0.success());
    let restored = done(&front, &["restore", "saved.sqlite", "--origin", &origin]);
    assert!(restored.contains("upstream.sqlite was restored"), "{restored}");
    assert!(!front.join("channel.sqlite").exists(), "another worker's records were replaced");
    assert!(done(&front, &["migrate", "--origin", &origin]).contains("upstream.sqlite is intact"));
    start_proxy(&front, &origin, &[]).knows_upstream().await;
}

/// Lets a day pass after a backup.
async fn age(backup: &Path) {
    let mut store: SqliteConnection = SqliteConnectOptions::new().filename(backup).connect().await.unwrap();
    sqlx::query("UPDATE api_keys SET last_seen_at = last_seen_at - 24 * 3600000").execute(&mut store).await.unwrap();
    store.close().await.unwrap();
}

/// Shows OPS-53b, OPS-53c: two machines that restored the same backup, the second after the first was lost.
#[tokio::test]
async fn no_number_is_used_twice_by_two_restores_on_new_machines() {
    let (machine, data) = folder();
    let worker = Worker::start(&data, &["--sandbox-delay-ms", "0"]);
    let key = worker.register().await;
    done(&data, &["backup", "saved.sqlite"]);
    assert!(worker.end().0.success());
    let backup = machine.path().join("saved.sqlite");
    let mut sales = Vec::new();
    for _ in 0..2 {
        age(&backup).await;
        let (_machine, data) = folder();
        let restored = done(&data, &["restore", backup.to_str().unwrap()]);
        assert!(restored.contains("at least 1,000,000 later"), "{restored}");
        let worker = Worker::start(&data, &["--sandbox-delay-ms", "0"]);
        sales.push(sale(&worker, &key).await);
        assert!(worker.end().0.success());
    }
    let [(first, first_receipt), (second, second_receipt)] = &sales[..] else { panic!("{sales:?}") };
    assert!(1_000_000 < *first && first < second, "{sales:?}");
    // A series starts at 1 and has a letter for each minute of the backup's age.
    let [_, first_letters, "000001"] = first_receipt.split('-').collect::<Vec<_>>()[..] else { panic!("{sales:?}") };
    let [_, second_letters, "000001"] = second_receipt.split('-').collect::<Vec<_>>()[..] else { panic!("{sales:?}") };
    assert!("CDL" <= first_letters && first_letters < second_letters && second_letters.len() == 3, "{sales:?}");
}
