//! Dead letters: listed, requeued and shipped, while the ledger in `/metrics` always balances (`ANA-6`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::support::{Worker, eventually, folder, run, text};

const EVENTS: usize = 40;

/// An HTTP sink that rejects events of the kind `refused` until changed.
#[derive(Default)]
struct Sink {
    knows_all: AtomicBool,
    received: Mutex<Vec<String>>,
}

async fn take(State(sink): State<Arc<Sink>>, headers: HeaderMap, body: Bytes) -> Response {
    let body: Value = serde_json::from_slice(&body).unwrap();
    if body["event"] == "refused" && !sink.knows_all.load(Ordering::SeqCst) {
        return (StatusCode::UNPROCESSABLE_ENTITY, "no such\nkind").into_response();
    }
    sink.received.lock().push(headers["idempotency-key"].to_str().unwrap().to_owned());
    StatusCode::OK.into_response()
}

async fn serve(sink: Arc<Sink>) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(take).with_state(sink)).await });
    url
}

type Account = BTreeMap<String, u64>;

/// The ledger in the metrics, by sink and table.
fn ledger(metrics: &str) -> BTreeMap<String, Account> {
    let mut accounts = BTreeMap::<String, Account>::new();
    for line in metrics.lines().filter_map(|line| line.strip_prefix("touchline_datalake_")) {
        let Some((name, rest)) = line.split_once('{') else { continue };
        let (labels, value) = rest.split_once("} ").unwrap();
        if ["accepted", "shipped", "queued", "dead_lettered"].contains(&name) {
            accounts.entry(labels.to_owned()).or_default().insert(name.to_owned(), value.parse().unwrap());
        }
    }
    accounts
}

/// Polls the metrics and returns the history of each account.
async fn watch(admin: String, stop: Arc<AtomicBool>) -> BTreeMap<String, Vec<Account>> {
    let mut seen = BTreeMap::<String, Vec<Account>>::new();
    while !stop.load(Ordering::SeqCst) {
        let metrics = reqwest::get(format!("http://{admin}/metrics")).await.unwrap().text().await.unwrap();
        for (labels, account) in ledger(&metrics) {
            let settled = account["shipped"] + account["queued"] + account["dead_lettered"];
            assert_eq!(account["accepted"], settled, "{labels}: {account:?}");
            let seen = seen.entry(labels).or_default();
            if seen.last() != Some(&account) {
                seen.push(account);
            }
        }
    }
    seen
}

fn verb(data: &Path, line: &[&str]) -> String {
    let output = run(data.parent().unwrap(), &[&["datalake"], line, &["--data", data.to_str().unwrap()]].concat());
    assert!(output.status.success(), "{line:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Accepted, shipped, queued and dead events of the HTTP sink, according to the status verb.
fn row(data: &Path) -> Vec<usize> {
    let output = verb(data, &["status"]);
    let rows = output.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let of_sink = |cells: &Vec<&str>| cells[0].starts_with("http:") && cells.get(1) == Some(&"event");
    let row = rows.into_iter().find(of_sink).unwrap_or_else(|| panic!("{output}"));
    row[2..6].iter().map(|cell| cell.parse().unwrap()).collect()
}

async fn until_row(data: &Path, wanted: [usize; 4]) {
    eventually(&format!("{wanted:?}"), async || (row(data) == wanted).then_some(())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dead_letters_are_listed_requeued_and_shipped_and_the_ledger_always_balances() {
    let sink = Arc::new(Sink::default());
    let url = serve(Arc::clone(&sink)).await;
    let (folder, data) = folder();
    let sinks = format!("lake:{},http:{url}", folder.path().join("lake").display());
    let worker = Worker::start(&data, &["--datalake-close-age-s", "1", "--datalake-sinks", &sinks]);
    let stop = Arc::new(AtomicBool::new(false));
    let watching = tokio::spawn(watch(worker.admin.clone(), Arc::clone(&stop)));
    let mut ids = BTreeSet::new();
    for n in 0..EVENTS {
        let kind = if n % 4 == 0 { "refused" } else { "visit" };
        let body = json!({ "event": kind, "n": n });
        let answer = worker.http.post(worker.url("/datalake/event/")).json(&body).send().await.unwrap();
        let answer: Value = answer.json().await.unwrap();
        assert_eq!(answer["data"]["outcome"], "accepted", "{answer}");
        ids.insert(answer["data"]["id"].as_str().unwrap().to_owned());
    }
    until_row(&data, [40, 30, 0, 10]).await;

    let letters = verb(&data, &["dead-letters", "--limit", "3", "--table", "event"]);
    let lines: Vec<_> = letters.lines().collect();
    assert!(lines.len() == 5 && lines[4].starts_with("3 of 10: use a larger --limit"), "{letters}");
    assert!(lines[1].starts_with("http:http://127.0.0.1:") && lines[1].contains(" refused "), "{letters}");
    assert!(lines[1].ends_with("422: no suchkind"), "{letters}");
    assert!(verb(&data, &["dead-letters", "--table", "session"]).ends_with("0 of 0\n"));
    let first = lines[1].split_whitespace().nth(2).unwrap();

    // A requeued letter that is rejected again is one dead letter, not two.
    assert!(verb(&data, &["requeue", "--id", first]).starts_with("1 requeued"));
    until_row(&data, [40, 30, 0, 10]).await;
    sink.knows_all.store(true, Ordering::SeqCst);
    assert!(verb(&data, &["requeue", "--id", first]).starts_with("1 requeued"));
    until_row(&data, [40, 31, 0, 9]).await;
    assert!(verb(&data, &["requeue"]).starts_with("9 requeued"));
    until_row(&data, [40, 40, 0, 0]).await;
    assert!(verb(&data, &["dead-letters"]).ends_with("0 of 0\n"));

    let received = sink.received.lock().clone();
    assert_eq!(received.len(), EVENTS, "each row was received once");
    assert_eq!(received.into_iter().collect::<BTreeSet<_>>(), ids);
    let status = verb(&data, &["status"]);
    let lake = status.lines().find(|line| line.starts_with("lake:") && line.contains(" event ")).unwrap();
    let lake: Vec<_> = lake.split_whitespace().skip(2).take(4).collect();
    assert_eq!(lake, ["40", "40", "0", "0"], "rows requeued for one sink reached another");
    stop.store(true, Ordering::SeqCst);
    let seen = watching.await.unwrap();
    let (_, of_sink) = seen.iter().find(|(of, _)| of.contains("http:") && of.contains("table=\"event\"")).unwrap();
    for name in ["queued", "dead_lettered"] {
        assert!(of_sink.iter().any(|account| account[name] > 0), "{name} was always 0: {of_sink:?}");
    }
    assert_eq!(of_sink.last().unwrap()["shipped"], EVENTS as u64, "metrics do not show the current state");
}
