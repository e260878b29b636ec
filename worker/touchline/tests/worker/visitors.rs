//! Visitors' keys cost the store nothing, end with their generation, and never become a person's (`CALL-1`, `LIM-6`).

use std::collections::HashSet;

use futures_util::future::{join, join_all};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use sqlx::postgres::PgPool;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};

use crate::postgres::{Cluster, TestStore};
use crate::support::{Worker, done, refused};

const KEYS: i64 = 40;

const ROWS: &str = "SELECT (SELECT COUNT(*) FROM api_keys) + (SELECT COUNT(*) FROM session_codes)
    + (SELECT COUNT(*) FROM tokens) + (SELECT COUNT(*) FROM tries)";

/// The commits in a write-ahead log of SQLite: the frames that carry the size of the database after a commit.
fn commits_in(log: &[u8]) -> usize {
    log.get(32..).unwrap_or_default().chunks_exact(24 + 4096).filter(|frame| frame[4..8] != [0; 4]).count()
}

/// Rows that a key could have, and a count that grows by at least one with each commit of anybody.
async fn rows_and_commits(store: &TestStore) -> (i64, i64) {
    let Some(url) = &store.url else {
        let file = store.data.join("channel.sqlite");
        let pool = SqlitePool::connect_with(SqliteConnectOptions::new().filename(file).read_only(true)).await.unwrap();
        let rows = sqlx::query_scalar(ROWS).fetch_one(&pool).await.unwrap();
        pool.close().await;
        let log = std::fs::read(store.data.join("channel.sqlite-wal")).unwrap();
        return (rows, i64::try_from(commits_in(&log)).unwrap());
    };
    let pool = PgPool::connect(url).await.unwrap();
    let rows = sqlx::query_scalar(ROWS).fetch_one(&pool).await.unwrap();
    let next = "SELECT CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS TEXT) AS BIGINT)";
    let commits = sqlx::query_scalar(next).fetch_one(&pool).await.unwrap();
    pool.close().await;
    (rows, commits)
}

async fn many_keys_leave_no_trace(store: TestStore) {
    let worker = store.start(&[]);
    worker.data(Method::GET, &format!("settings?api_key={}", worker.key().await), &Value::Null).await;
    let (rows, commits) = rows_and_commits(&store).await;
    let keys: HashSet<_> = join_all((0..KEYS).map(|_| worker.key())).await.into_iter().collect();
    assert_eq!(keys.len(), 40);
    join_all(keys.iter().map(async |key| {
        worker.data(Method::GET, &format!("settings?api_key={key}"), &Value::Null).await;
        assert_eq!(worker.user_of(key).await, None);
    }))
    .await;
    let (rows_after, commits_after) = rows_and_commits(&store).await;
    assert_eq!(rows_after, rows);
    // Heartbeats and reads of the clock are other commits.
    assert!(commits_after - commits < KEYS / 2, "{} commits", commits_after - commits);
}

/// Shows CALL-1e.
#[tokio::test]
async fn forty_visitors_leave_neither_row_nor_commit_on_sqlite() {
    many_keys_leave_no_trace(TestStore::sqlite()).await;
}

/// Shows CALL-1e.
#[tokio::test]
async fn forty_visitors_leave_neither_row_nor_commit_on_postgresql() {
    // Other tests commit to the shared cluster.
    let cluster = Cluster::start();
    many_keys_leave_no_trace(TestStore::of(&cluster).await).await;
}

async fn is_refused(worker: &Worker, key: &str) -> bool {
    let (status, answer) = worker.call(Method::GET, &format!("settings?api_key={key}"), &Value::Null).await;
    assert!(status == StatusCode::OK || answer["code"] == "api_key", "{answer}");
    status != StatusCode::OK
}

async fn an_operator_ends_the_keys_of_visitors(store: TestStore) {
    let worker = store.start(&[]);
    let (visitor, person) = (worker.key().await, worker.register().await);
    let verb = ["visitors", "end-keys", "--channel", "northfield"];
    assert_eq!(done(&store.data, &verb), "visitors of northfield get new keys, of generation 1\n");
    assert!(is_refused(&worker, &visitor).await);
    assert!(!is_refused(&worker, &person).await);
    let next = worker.key().await;
    assert!(!is_refused(&worker, &next).await);
    let output = refused(&store.data, &["visitors", "end-keys", "--channel", "nowhere"]);
    assert!(output.contains("There is no channel nowhere."), "{output}");
    assert!(done(&store.data, &["audit-log"]).contains("visitors end-keys"));

    let (status, log) = worker.end();
    assert!(status.success(), "{log}");
    let worker = store.start(&[]);
    assert!(is_refused(&worker, &visitor).await, "after a restart");
    assert!(!is_refused(&worker, &next).await, "after a restart");
}

/// Shows CALL-1e.
#[tokio::test]
async fn a_key_of_an_ended_generation_is_refused_on_sqlite() {
    an_operator_ends_the_keys_of_visitors(TestStore::sqlite()).await;
}

/// Shows CALL-1e.
#[tokio::test]
async fn a_key_of_an_ended_generation_is_refused_on_postgresql() {
    an_operator_ends_the_keys_of_visitors(TestStore::postgres().await).await;
}

/// Shows OPS-30a.
#[tokio::test]
async fn workers_of_a_store_accept_and_end_each_others_keys() {
    let (store, other) = (TestStore::postgres().await, TestStore::sqlite());
    let (one, stranger) = (store.start(&[]), other.start(&[]));
    let beside = store.beside();
    let two = beside.start(&[]);
    let key = one.key().await;
    assert!(!is_refused(&two, &key).await);
    assert!(is_refused(&stranger, &key).await, "of another store");
    done(&beside.data, &["visitors", "end-keys", "--channel", "northfield"]);
    // The change is announced before the verb ends, and the other worker receives it within a second.
    crate::support::eventually("the other worker refuses the key", async || is_refused(&one, &key).await.then_some(()))
        .await;
}

async fn a_token_never_becomes_a_persons(store: TestStore) {
    let worker = store.start(&[]);
    let token = worker.key().await;
    let login = json!({ "api_key": token, "email": "demo@northfield.example", "password": "touchline" });
    let log_in = || worker.data(Method::POST, "v2/auth/login", &login);
    let (one, two) = join(log_in(), log_in()).await;
    let of_token = json!({ "api_key": token });
    let code = || worker.data(Method::POST, "auth/session_code", &of_token);
    let (first, second) = join(code(), code()).await;
    let key = |answer: &Value| answer["api_key"].as_str().unwrap().to_owned();
    let keys: HashSet<_> = [&one, &two, &first, &second].into_iter().map(key).chain([token.clone()]).collect();
    assert_eq!(keys.len(), 5);

    let person = worker.user_of(&key(&one)).await;
    assert!(person.is_some());
    assert_eq!(worker.user_of(&key(&two)).await, person);
    let link = async |code: &Value| {
        let body = json!({ "api_key": key(&one), "code": code["code"] });
        worker.call(Method::POST, "auth/add_session", &body).await.0 == StatusCode::OK
    };
    // The later code replaced the earlier one. Two viewers enter it at once.
    let linked = join(join(link(&first), link(&first)), join(link(&second), link(&second))).await;
    let ((a, b), (c, d)) = linked;
    assert_eq!([a, b, c, d].into_iter().filter(|linked| *linked).count(), 1, "{linked:?}");
    let of_code = if a || b { &first } else { &second };
    for answer in [&first, &second] {
        let expected = person.filter(|_| answer == of_code);
        assert_eq!(worker.user_of(&key(answer)).await, expected);
        assert!(!is_refused(&worker, &key(answer)).await);
    }
    assert_eq!(worker.user_of(&token).await, None);
    assert!(!is_refused(&worker, &token).await, "it stays a visitor's");
}

/// Shows AUTH-1b, AUTH-5a.
#[tokio::test]
async fn two_logins_and_two_codes_of_a_token_get_separate_keys_on_sqlite() {
    a_token_never_becomes_a_persons(TestStore::sqlite()).await;
}

/// Shows AUTH-1b, AUTH-5a.
#[tokio::test]
async fn two_logins_and_two_codes_of_a_token_get_separate_keys_on_postgresql() {
    a_token_never_becomes_a_persons(TestStore::postgres().await).await;
}

/// Shows CALL-1e.
#[tokio::test]
async fn a_visitors_key_lasts_ninety_days() {
    const DAY_S: u64 = 24 * 3_600;
    let store = TestStore::sqlite();
    let key = store.start(&[]).key().await;
    for (days, ends) in [(89, false), (91, true)] {
        let worker = store.start(&["--clock-offset", &(days * DAY_S).to_string()]);
        assert_eq!(is_refused(&worker, &key).await, ends, "after {days} days");
    }
}

/// Shows CALL-1b, CALL-1c, CALL-1d.
#[tokio::test]
async fn public_calls_need_no_key() {
    let store = TestStore::sqlite();
    let worker = store.start(&[]);
    for path in ["/keys/127.0.0.1.json", "/storage/settings/player.json", "/api/calendar/teams/101.ics"] {
        assert_eq!(worker.get(path).await.status(), StatusCode::OK, "{path}");
    }
    let report = json!({ "note": "", "page": "/", "log": "", "request_ids": [] });
    let line = json!({ "date": "2026-11-21T18:00:00Z", "status": 500, "message": "it broke", "url": "/" });
    let channel = json!({ "channel_key": "northfield" });
    for (path, body) in [("get_api_key", channel), ("error-log", line), ("problem-report", report)] {
        let (status, answer) = worker.call(Method::POST, path, &body).await;
        assert_eq!(status, StatusCode::OK, "{path}: {answer}");
    }
    // Every other call is below `/api` as well, and refuses a request without a key.
    assert!(is_refused(&worker, "").await);
    assert_eq!(worker.get("/settings").await.headers()["content-type"], "text/html; charset=utf-8");
}

/// Shows CALL-1a, USER-4a.
#[tokio::test]
async fn a_key_of_another_channel_is_refused() {
    let store = TestStore::sqlite();
    let worker = store.start(&[]);
    let of_channel = json!({ "channel_key": "laurentides" });
    let key = worker.data(Method::POST, "get_api_key", &of_channel).await["api_key"].as_str().unwrap().to_owned();
    let read =
        |host: &str| worker.http.get(worker.url(&format!("/api/settings?api_key={key}"))).header("host", host).send();
    let statuses = join(read("northfield.localhost"), read("laurentides.localhost")).await;
    assert_eq!(statuses.0.unwrap().status(), StatusCode::BAD_REQUEST);
    assert_eq!(statuses.1.unwrap().status(), StatusCode::OK);
}
