//! Many purchases while worker, provider and connections fail at random: none is charged twice, paid without access,
//! accessible without payment, or left open (`PAY-4`, `PAY-14`).

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use parking_lot::Mutex;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use sqlx::Row;
use sqlx::sqlite::SqlitePool;
use tokio::time::Instant;

use crate::provider::Provider;
use crate::support::{Worker, folder, fresh};

/// The number of purchases; `make soak` asks for more.
const PURCHASES: usize = 200;
/// The most purchases on one provider and one store; more are split into several walks, each with its own seed.
const MAX_PER_WALK: usize = 5_000;
/// Fixed, so that every run is the same.
const SEED: u64 = 20_261_123;
/// Packages of the demo channel that one viewer can own together.
const PACKAGES: [i64; 4] = [1, 3, 4, 5];
/// Viewers who buy at the same time.
const CONCURRENT_VIEWERS: usize = 24;
/// Purchases between two kills.
const PURCHASES_PER_KILL: usize = 60;
/// The part of that skipped by moving the worker's clock.
const SKIPPED: Duration = Duration::from_secs(30);
/// The longest time an order may stay open once nothing fails any more, enforced by `make soak`.
const MAX_OPEN: Duration = Duration::from_secs(60);
/// The same next to other tests, which compete for the processor.
const MAX_OPEN_BESIDE_OTHERS: Duration = Duration::from_secs(300);

/// Creates viewers with keys in the store, because registering each would be another test.
pub(crate) async fn make_viewers(data: &Path, model: i64, count: usize) -> Vec<String> {
    let store = SqlitePool::connect(&format!("sqlite:{}", data.join("channel.sqlite").display())).await.unwrap();
    let mut transaction = store.begin().await.unwrap();
    let mut keys = Vec::new();
    for number in 0..count {
        let (id, key) = (1_000_000 + number as i64, fresh("walk-key"));
        sqlx::query(
            "INSERT INTO users (id, channel_key, email, email_folded, email_verified, first_name, last_name, phone,
                 password_hash, temporary_password, trial_period_used, blocked, capabilities, clips, downloads, created_at)
             SELECT $1, channel_key, $2, $2, email_verified, first_name, last_name, phone, password_hash,
                 temporary_password, trial_period_used, blocked, capabilities, clips, downloads, created_at
             FROM users WHERE id = $3",
        )
        .bind(id)
        .bind(format!("walk-{number}@viewers.example"))
        .bind(model)
        .execute(&mut *transaction)
        .await
        .unwrap();
        sqlx::query(
            "INSERT INTO api_keys (id, hash, channel_key, user_id, device_name, created_at, last_seen_at)
             SELECT $1, $2, channel_key, $1, '', created_at, created_at FROM users WHERE id = $1",
        )
        .bind(id)
        .bind(hex::encode(Sha256::digest(&key)))
        .execute(&mut *transaction)
        .await
        .unwrap();
        keys.push(key);
    }
    transaction.commit().await.unwrap();
    store.close().await;
    keys
}

/// The current addresses of the worker and the provider.
struct Walk {
    worker: Mutex<String>,
    provider: String,
    http: reqwest::Client,
    bought: AtomicUsize,
}

impl Walk {
    async fn send(&self, url: String, key: Option<&str>, body: &Value) -> Option<(u16, Value)> {
        let mut request = self.http.post(url).json(body).timeout(Duration::from_secs(5));
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        let response = request.send().await.ok()?;
        let status = response.status().as_u16();
        Some((status, response.json().await.ok()?))
    }

    /// A channel call, repeated until its answer is final.
    async fn call(&self, path: &str, key: Option<&str>, body: &Value) -> (u16, Value) {
        loop {
            let url = format!("http://{}/api/{path}", self.worker.lock());
            match self.send(url, key, body).await {
                Some((status, answer)) if status < 500 && status != 429 => return (status, answer),
                _ => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    }

    async fn card(&self, key: &str, number: &str) -> String {
        loop {
            let (status, intent) = self.call("stripe/setup-intent", None, &json!({ "api_key": key })).await;
            assert_eq!(status, 200, "{intent}");
            let entered = json!({ "client_secret": intent["data"]["client_secret"], "number": number });
            if let Some((200, answer)) = self.send(format!("{}/test/card", self.provider), None, &entered).await
                && let Some(method) = answer["payment_method"].as_str()
            {
                return method.to_owned();
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// A viewer buys on two devices, with one key or with two.
    async fn buy_all(&self, key: String, number: &str, is_one_key: bool) {
        let card = self.card(&key, number).await;
        for package in PACKAGES {
            let body = json!({ "api_key": key, "type": "package", "id": package, "payment_method_id": card });
            let once = fresh("buy");
            let other = if is_one_key { once.clone() } else { fresh("buy") };
            let (one, two) =
                tokio::join!(self.call("stripe/buy", Some(&once), &body), self.call("stripe/buy", Some(&other), &body));
            assert!(one.0 == 200 || two.0 == 200, "{one:?} {two:?}");
            self.bought.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn plan(seed: u64) -> (Value, Value) {
    (
        json!({ "seed": seed, "before": 0.02, "after": 0.03, "broken": 0.02, "slow_ms": 4 }),
        json!({ "never": 0.25, "doubled": 0.25, "late_ms": 300 }),
    )
}

/// Status and activity of the orders, by id.
async fn orders(store: &SqlitePool) -> BTreeMap<i64, (String, String)> {
    let rows = sqlx::query("SELECT id, status, activity_status FROM orders").fetch_all(store).await.unwrap();
    rows.iter().map(|row| (row.get("id"), (row.get("status"), row.get("activity_status")))).collect()
}

/// Shows PAY-4, PAY-14d.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn purchases_are_charged_once_each_despite_crashes() {
    let purchases = std::env::var("TOUCHLINE_PURCHASES").map_or(PURCHASES, |count| count.parse().unwrap());
    let seed = std::env::var("TOUCHLINE_SEED").map_or(SEED, |seed| seed.parse().unwrap());
    let started = Instant::now();
    for (number, first) in (0..purchases).step_by(MAX_PER_WALK).enumerate() {
        let (count, seed) = (MAX_PER_WALK.min(purchases - first), seed + 1000 * number as u64);
        println!("{count} purchases, seed {seed}");
        let summary = walk(count, seed).await;
        println!("{summary}; {} purchases after {:?}", first + count, started.elapsed());
    }
}

/// Runs one walk and returns a summary.
async fn walk(purchases: usize, seed: u64) -> String {
    let mut random = StdRng::seed_from_u64(seed);
    let (folder, data) = folder();
    let mut provider = Provider::start(folder.path());
    let more = ["--limits-calls-per-minute", "10000000", "--log", "error"];
    let flags: Vec<String> = provider.flags().into_iter().chain(more).map(str::to_owned).collect();
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let mut worker = Worker::start(&data, &flags);
    let model = worker.register().await;
    let model = worker.user_of(&model).await.unwrap();
    assert!(worker.end().0.success());
    let viewers = make_viewers(&data, model, purchases.div_ceil(PACKAGES.len())).await;
    let all = viewers.len() * PACKAGES.len();

    worker = Worker::start(&data, &flags);
    let (faults, webhooks) = plan(seed);
    provider.plan(&worker.url(""), faults, webhooks).await;
    let walk = Arc::new(Walk {
        worker: Mutex::new(worker.address.clone()),
        provider: provider.url.clone(),
        http: worker.http.clone(),
        bought: AtomicUsize::new(0),
    });
    let buying = {
        let walk = Arc::clone(&walk);
        let choices: Vec<(bool, bool)> =
            viewers.iter().map(|_| (random.random_ratio(1, 10), random.random())).collect();
        tokio::spawn(async move {
            let mut waiting = viewers.into_iter().zip(choices);
            let mut busy = FuturesUnordered::new();
            loop {
                while busy.len() < CONCURRENT_VIEWERS {
                    let Some((key, (is_declined, is_one_key))) = waiting.next() else { break };
                    let number = if is_declined { "4000000000000002" } else { "4242424242424242" };
                    busy.push(walk.buy_all(key, number, is_one_key));
                }
                if busy.next().await.is_none() {
                    return;
                }
            }
        })
    };
    let mut kills = 0;
    while !buying.is_finished() {
        if walk.bought.load(Ordering::Relaxed) < (kills + 1) * PURCHASES_PER_KILL {
            tokio::time::sleep(Duration::from_millis(random.random_range(1..20))).await;
            continue;
        }
        kills += 1;
        if random.random() {
            provider.restart();
        } else {
            worker.kill();
            worker = Worker::start(&data, &flags);
            *walk.worker.lock() = worker.address.clone();
        }
        let (faults, webhooks) = plan(seed + kills as u64);
        provider.plan(&worker.url(""), faults, webhooks).await;
    }
    buying.await.unwrap();
    assert_eq!(walk.bought.load(Ordering::Relaxed), all);

    // Nothing fails any more, and no webhooks are sent, so the worker polls. Most of the wait is skipped by its clock.
    provider.plan(&worker.url(""), json!({}), json!({ "never": 1 })).await;
    worker.kill();
    let skipped = SKIPPED.as_secs().to_string();
    worker = Worker::start(&data, &[&flags[..], &["--clock-offset", &skipped]].concat());
    let store =
        SqlitePool::connect(&format!("sqlite:{}?mode=ro", data.join("channel.sqlite").display())).await.unwrap();
    let is_soak = std::env::var_os("TOUCHLINE_PURCHASES").is_some();
    let max_open = if is_soak { MAX_OPEN } else { MAX_OPEN_BESIDE_OTHERS };
    let calm = Instant::now();
    loop {
        let open = orders(&store).await.into_iter().filter(|(_, (status, _))| status == "created").count();
        if open == 0 {
            break;
        }
        assert!(SKIPPED + calm.elapsed() < max_open, "{open} orders are open: {}", worker.log());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let last_open = SKIPPED + calm.elapsed();

    let books = provider.books().await;
    let refunded: Vec<&Value> = books["refunds"].as_array().unwrap().iter().map(|it| &it["payment_intent"]).collect();
    let mut charged: BTreeMap<i64, u32> = BTreeMap::new();
    for intent in books["intents"].as_array().unwrap() {
        if intent["status"] == "succeeded" && !refunded.contains(&&intent["id"]) {
            let order = intent["metadata"]["order"].as_str().unwrap().split('-').nth(1).unwrap().parse().unwrap();
            *charged.entry(order).or_default() += 1;
        }
    }
    for (id, (status, activity)) in orders(&store).await {
        let times = charged.remove(&id).unwrap_or_default();
        let expected = if status == "paid" { (1, "active") } else { (0, "inactive") };
        assert_eq!((times, activity.as_str()), expected, "order {id} is {status}");
    }
    assert_eq!(charged, BTreeMap::new(), "payments without an order");
    let twice: i64 = sqlx::query_scalar(
        "SELECT COUNT(*) FROM (SELECT 1 FROM orders WHERE status = 'paid' GROUP BY user_id, product_id HAVING COUNT(*) > 1)",
    )
    .fetch_one(&store)
    .await
    .unwrap();
    // A payment that its order did not accept, and its refund, are separate rows.
    let accepted_rows = "SELECT COUNT(*) FROM charges WHERE accepted";
    let rows: i64 = sqlx::query_scalar(accepted_rows).fetch_one(&store).await.unwrap();
    let paid: i64 =
        sqlx::query_scalar("SELECT COUNT(*) FROM orders WHERE status = 'paid'").fetch_one(&store).await.unwrap();
    assert_eq!((twice, rows), (0, paid));
    format!("{kills} kills; the last order was open for {last_open:?}; {paid} paid")
}
