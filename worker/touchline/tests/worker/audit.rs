//! One disagreement of each kind in the books, the provider's records and the lake's files: each is reported
//! (`OPS-19`).

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use sqlx::SqlitePool;
use sqlx::postgres::PgPool;
use sqlx::sqlite::SqliteConnectOptions;

use crate::postgres::TestStore;
use crate::provider::Provider;
use crate::support::{Worker, done, eventually, folder, refused, run, text};

const PAYS: &str = "4242424242424242";
const PACKAGES: [i64; 4] = [1, 3, 4, 5];
const HOUR_S: i64 = 3600;

/// The disagreements as rule and order id.
fn disagreements(data: &Path) -> BTreeSet<(String, Option<i64>)> {
    disagreements_counted(data, &[]).0
}

/// The disagreements, and the number of reported rows.
fn disagreements_counted(data: &Path, more: &[&str]) -> (BTreeSet<(String, Option<i64>)>, usize) {
    let line = [&["audit", "--json", "--data", data.to_str().unwrap()], more].concat();
    let audited = run(data.parent().unwrap(), &line);
    let output = text(&audited.stdout);
    let answer: Value = serde_json::from_str(&output).unwrap_or_else(|_| panic!("{output}{}", text(&audited.stderr)));
    assert_eq!(audited.status.success(), answer["disagreements"] == json!([]), "{output}");
    assert_eq!(answer["unread"], json!([]), "{output}");
    let rows = answer["disagreements"].as_array().unwrap();
    let named = rows.iter().map(|row| (row["rule"].as_str().unwrap().to_owned(), row["order_id"].as_i64()));
    (named.collect(), rows.len())
}

async fn execute(data: &Path, statements: &[String]) {
    let file = SqliteConnectOptions::new().filename(data.join("channel.sqlite")).foreign_keys(false);
    let store = SqlitePool::connect_with(file).await.unwrap();
    for statement in statements {
        let done = sqlx::query(sqlx::AssertSqlSafe(statement.as_str())).execute(&store).await.unwrap();
        assert!(done.rows_affected() > 0, "{statement}");
    }
    store.close().await;
}

async fn count(data: &Path, query: &str) -> i64 {
    let store =
        SqlitePool::connect(&format!("sqlite:{}?mode=ro", data.join("channel.sqlite").display())).await.unwrap();
    let count = sqlx::query_scalar(sqlx::AssertSqlSafe(query)).fetch_one(&store).await.unwrap();
    store.close().await;
    count
}

/// Changes files of the lake: adds one cent to a payment of one order, deletes the first row of another, and makes a
/// file of package names unreadable.
fn change_the_lake(data: &Path, larger: i64, shorter: i64) {
    let script = "import duckdb, glob, os, sys\n\
        lake, larger, shorter = sys.argv[1:]\n\
        for file in glob.glob(lake + '/order_event/received_date=*/*.parquet'):\n\
        \x20   duckdb.sql(f\"COPY (SELECT * REPLACE (CASE WHEN order_id = '{larger}' AND net > 0 THEN net + 1 ELSE net END \
                       AS net) FROM read_parquet('{file}', hive_partitioning = false) \
                       WHERE NOT (order_id = '{shorter}' AND event = 'placed')) TO '{file}.new' (FORMAT parquet, COMPRESSION zstd)\")\n\
        \x20   os.rename(file + '.new', file)\n\
        for file in glob.glob(lake + '/package_dim/received_date=*/*.parquet')[:1]:\n\
        \x20   open(file, 'w').write('no Parquet')\n";
    let output = Command::new("python3")
        .args(["-c", script])
        .arg(data.join("lake"))
        .args([larger.to_string(), shorter.to_string()])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
}

/// The rules with a nonzero gauge.
async fn gauges(worker: &Worker) -> BTreeSet<String> {
    let metrics = worker.http.get(format!("http://{}/metrics", worker.admin)).send().await.unwrap();
    let metrics = metrics.text().await.unwrap();
    let of_rule = |line: &str| {
        let line = line.strip_prefix("touchline_books_disagreements{rule=\"")?;
        let (rule, count) = line.split_once("\"} ")?;
        (count != "0").then(|| rule.to_owned())
    };
    metrics.lines().filter_map(of_rule).collect()
}

/// Shows OPS-19a, OPS-19c, PKG-6d.
#[tokio::test]
async fn each_kind_of_disagreement_is_reported_by_the_verb_and_hourly() {
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--sandbox-delay-ms", "0", "--datalake-close-age-s", "1"]);
    let mut orders = Vec::new();
    for _ in 0..3 {
        let key = worker.register().await;
        let card = worker.card(&key, PAYS).await;
        for package in PACKAGES {
            let body = json!({ "api_key": key, "type": "package", "id": package, "payment_method_id": card });
            let id = worker.data(Method::POST, "stripe/buy", &body).await["id"].clone();
            assert_eq!(worker.settled(&key, &id).await["status"], "paid");
            orders.push(id.as_i64().unwrap());
        }
    }
    let [uncharged, failed, amount, partly, open, closed, less, given_back, unknown, larger, shorter, calm] =
        orders[..].try_into().unwrap();
    done(&data, &["order", "refund", &partly.to_string(), "--amount", "500"]);
    assert!(worker.end().0.success());

    // An hour later nothing is in progress, and everything agrees.
    let later = |hours: i64| (hours * HOUR_S).to_string();
    let worker = Worker::start(&data, &["--datalake-close-age-s", "1", "--clock-offset", &later(1)]);
    assert_eq!(disagreements(&data), BTreeSet::new());
    assert!(done(&data, &["audit"]).contains("agree"));
    assert!(worker.end().0.success());

    let key_of = |order: i64| format!("(SELECT provider_id FROM charges WHERE order_id = {order})");
    execute(
        &data,
        &[
            format!("DELETE FROM charges WHERE order_id = {uncharged}"),
            format!("UPDATE orders SET status = 'failed', activity_status = 'inactive' WHERE id = {failed}"),
            format!("UPDATE charges SET amount = amount + 1 WHERE order_id = {amount}"),
            format!("UPDATE orders SET refunded_minor = 0 WHERE id = {partly}"),
            format!("UPDATE orders SET status = 'refunded', refunded_minor = 1 WHERE id = {open}"),
            format!("UPDATE orders SET activity_status = 'inactive' WHERE id = {closed}"),
            format!("UPDATE orders SET event_categories = '[]', participant_id = NULL WHERE id = {closed}"),
            format!("UPDATE sandbox_charges SET amount = amount - 1 WHERE idempotency_key = {}", key_of(less)),
            format!(
                "INSERT INTO sandbox_refunds (name, idempotency_key, amount, at)
                 SELECT 're_elsewhere-1', provider_id, 100, at FROM charges WHERE order_id = {given_back}"
            ),
            format!("DELETE FROM sandbox_charges WHERE idempotency_key = {}", key_of(unknown)),
        ],
    )
    .await;
    change_the_lake(&data, larger, shorter);
    let more = ["--datalake-close-age-s", "1", "--audit-every-s", "1", "--clock-offset", &later(2)];
    let worker = Worker::start(&data, &more);
    let (named, count_named) = disagreements_counted(&data, &[]);
    // A disagreement without a known order may concern any channel, but a missing receipt is one of its channel's.
    let missing_receipt = ("receipts".to_owned(), None);
    assert!(named.contains(&missing_receipt), "{named:?}");
    let is_of_nobody = |one: &&(String, Option<i64>)| one.1.is_none() && **one != missing_receipt;
    let of_nobody = named.iter().filter(is_of_nobody).cloned().collect();
    assert_eq!(disagreements_counted(&data, &["--channel", "northfield"]).0, named);
    assert_eq!(disagreements_counted(&data, &["--channel", "laurentides"]).0, of_nobody);
    for (rule, order) in [
        ("paid_without_charge", uncharged),
        ("provider_payment", uncharged),
        ("lake", uncharged),
        ("charge_without_order", failed),
        ("amount", amount),
        ("provider_payment", amount),
        ("lake", amount),
        ("refunded_minor", partly),
        ("access_after_end", open),
        ("refunded_without_refund", open),
        // A refund larger than the payment is also an error.
        ("refunded_minor", open),
        ("paid_without_access", closed),
        ("paid_without_content", closed),
        ("provider_payment", less),
        ("provider_reversal", given_back),
        ("provider_unknown_charge", unknown),
        ("lake", larger),
        ("lake_row", shorter),
    ] {
        assert!(named.contains(&(rule.to_owned(), Some(order))), "{rule} of order {order}: {named:?}");
    }
    assert!(named.contains(&("lake_file".to_owned(), None)) && named.contains(&("lake_row".to_owned(), None)));
    assert!(named.iter().all(|(_, order)| *order != Some(calm)), "matching orders are reported: {named:?}");
    let package_names = count(&data, "SELECT COUNT(*) FROM lake_rows WHERE lake_table = 'package_dim'").await;
    assert_eq!(named.len(), 21, "nothing else: {named:?}");
    assert_eq!(count_named as i64, 20 + package_names, "each once: {}", refused(&data, &["audit"]));
    let output = refused(&data, &["audit"]);
    assert!(output.contains(&format!("order {larger}: lake: the charges add up to ")), "{output}");
    let rules: BTreeSet<String> = named.iter().map(|(rule, _)| rule.clone()).collect();
    eventually("the hourly audit counts them", async || (gauges(&worker).await == rules).then_some(())).await;
    assert!(worker.log().contains("the books disagree"), "{}", worker.log());
    assert!(worker.end().0.success());

    // Rows that every lake has had for a week are deleted; rows missing from a lake are retained and reported.
    let rows = "SELECT COUNT(*) FROM lake_rows";
    let before = count(&data, rows).await;
    let worker = Worker::start(&data, &["--clock-offset", &later(8 * 24)]);
    assert_eq!(disagreements(&data), named);
    assert!(worker.end().0.success());
    let lacking = format!("{rows} WHERE order_id = {shorter} OR lake_table = 'package_dim'");
    let (left, lacking) = (count(&data, rows).await, count(&data, &lacking).await);
    assert!(left <= lacking && left > 0 && before > 40, "{before} rows before, {left} left, {lacking} of these lack");
}

/// These cannot be repaired: the order is deleted, or the books have a subscription unknown to Stripe. Shows OPS-19a.
#[tokio::test]
async fn a_subscription_only_at_stripe_or_only_in_the_books_is_reported() {
    let (folder, data) = folder();
    let provider = Provider::start(folder.path());
    let worker = Worker::start(&data, &provider.flags());
    provider.plan(&worker.url(""), json!({}), json!({ "never": 1 })).await;
    let mut orders = Vec::new();
    for _ in 0..3 {
        let key = worker.register().await;
        let card = worker.stripe_card(&provider, &key, PAYS).await;
        let body = json!({ "api_key": key, "subscription_id": 1, "payment_method_id": card });
        let id = worker.data(Method::POST, "stripe/subscription/start_trial", &body).await["id"].clone();
        assert_eq!(worker.settled(&key, &id).await["status"], "paid");
        orders.push(id.as_i64().unwrap());
    }
    let [deleted, renamed, calm] = orders[..].try_into().unwrap();
    assert!(worker.end().0.success());
    let statements = [
        format!("DELETE FROM orders WHERE id = {deleted}"),
        format!("UPDATE orders SET provider_ref = 'sub_none' WHERE id = {renamed}"),
    ];
    execute(&data, &statements).await;
    provider.clock(HOUR_S).await;
    let hour = HOUR_S.to_string();
    let _worker = Worker::start(&data, &[&provider.flags()[..], &["--clock-offset", &hour]].concat());
    let (mut named, rows) = disagreements_counted(&data, &[]);
    // The lake names the deleted order once it has it.
    let is_in_lake = named.remove(&("lake_order".to_owned(), Some(deleted)));
    let rule = |order| ("provider_subscription".to_owned(), Some(order));
    assert_eq!(named, BTreeSet::from([rule(deleted), rule(renamed)]), "{calm} agrees");
    assert_eq!(rows - usize::from(is_in_lake), 3, "the renamed subscription is reported for both sides");
    let output = refused(&data, &["audit"]);
    assert!(output.contains("renews at the provider, but the books have no active subscription"), "{output}");
    assert!(output.contains("sub_none is active in the books, but not at the provider"), "{output}");
}

/// Lost webhooks are made up for by reading Stripe's records; the remaining disagreements are reported.
/// Shows OPS-19a, OPS-19b.
#[tokio::test]
async fn the_books_are_compared_with_stripe_and_lost_webhooks_recovered() {
    let (folder, data) = folder();
    let provider = Provider::start(folder.path());
    let worker = Worker::start(&data, &provider.flags());
    provider.plan(&worker.url(""), json!({}), json!({ "never": 1 })).await;
    let key = worker.register().await;
    let card = worker.stripe_card(&provider, &key, PAYS).await;
    let buy = async |kind: &str, id: i64| {
        let body = json!({ "api_key": key, "type": kind, "id": id, "payment_method_id": card });
        let (status, placed) = worker.call(Method::POST, "stripe/buy", &body).await;
        assert_eq!(status, StatusCode::OK, "{placed}");
        assert_eq!(worker.settled(&key, &placed["data"]["id"]).await["status"], "paid");
        placed["data"]["id"].as_i64().unwrap()
    };
    let [missing, refunded, renamed, lost] =
        [buy("package", 1).await, buy("package", 3).await, buy("package", 4).await, buy("package", 5).await];
    let (stopped, ended) = (buy("subscription", 1).await, buy("subscription", 2).await);
    assert!(worker.end().0.success());

    let intents = provider.books().await["intents"].clone();
    let intent = |order: i64| {
        let of_order = |it: &&Value| it["metadata"]["order"].to_string().starts_with(&format!("\"order-{order}-"));
        intents.as_array().unwrap().iter().find(of_order).unwrap()["id"].as_str().unwrap().to_owned()
    };
    let refund = json!({ "payment_intent": intent(refunded), "amount": 100 });
    provider.act("POST /v1/refunds", "", refund).await;
    let subscription = async |order: i64| {
        let books = provider.books().await;
        let all = books["subscriptions"].as_array().unwrap().clone();
        let of_order = |it: &Value| it["metadata"]["order"].to_string().starts_with(&format!("\"order-{order}-"));
        all.into_iter().find(of_order).unwrap()
    };
    let id = subscription(stopped).await["id"].as_str().unwrap().to_owned();
    provider.act("POST /v1/subscriptions/:id", &id, json!({ "cancel_at_period_end": true })).await;
    execute(
        &data,
        &[
            format!("DELETE FROM charges WHERE order_id = {missing}"),
            format!("UPDATE charges SET provider_id = 'pi_none' WHERE order_id = {renamed}"),
            // Simulates a store restored from before this order.
            format!("DELETE FROM charges WHERE order_id = {lost}"),
            format!("DELETE FROM orders WHERE id = {lost}"),
            // As left by a worker that crashed between a refund and the end of the order.
            format!("UPDATE subscriptions SET lifecycle = 'ended' WHERE order_id = {ended}"),
            format!("UPDATE orders SET activity_status = 'inactive', due_at = NULL WHERE id = {ended}"),
            format!("UPDATE order_events SET what = 'ended' WHERE order_id = {ended} AND what = 'paid'"),
        ],
    )
    .await;
    let hour = HOUR_S.to_string();
    provider.clock(HOUR_S).await;
    let _worker = Worker::start(&data, &[&provider.flags()[..], &["--clock-offset", &hour]].concat());
    let named = disagreements(&data);
    for (rule, order) in [
        ("provider_payment", missing),
        ("provider_payment", lost),
        ("provider_payment", renamed),
        ("provider_unknown_charge", renamed),
        ("paid_without_charge", missing),
    ] {
        assert!(named.contains(&(rule.to_owned(), Some(order))), "{rule} of order {order}: {named:?}");
    }
    let healed = [refunded, stopped, ended];
    assert!(named.iter().all(|(_, order)| order.is_none_or(|order| !healed.contains(&order))), "{named:?}");
    let order_details: Value =
        serde_json::from_str(&done(&data, &["order", "show", &refunded.to_string(), "--json"])).unwrap();
    assert_eq!(
        (&order_details["order"]["status"], &order_details["order"]["refunded_minor"]),
        (&json!("paid"), &json!(100))
    );
    let order_details: Value =
        serde_json::from_str(&done(&data, &["order", "show", &stopped.to_string(), "--json"])).unwrap();
    assert_eq!(order_details["order"]["subscription"]["auto_renew"], "cancelled");
    assert_eq!(subscription(ended).await["status"], "canceled", "an ended subscription is not charged");

    // An unreachable provider does not count as agreement.
    drop(provider);
    let output = refused(&data, &["audit"]);
    assert!(output.contains("could not be compared: provider: the payment provider did not respond"), "{output}");
}

/// `OPS-30b`: rows of the books that a worker claimed and lost with its disk before shipping are reported, and shipped
/// by another worker.
#[tokio::test]
async fn rows_lost_with_a_workers_disk_are_shipped_by_another() {
    let (store, lake) = (TestStore::postgres().await, tempfile::tempdir().unwrap());
    let sink = format!("lake:{}", lake.path().display());
    let shared = ["--store", store.url.as_deref().unwrap(), "--datalake-sinks", &sink, "--sandbox-delay-ms", "0"];
    let first = Worker::start(&store.data, &[&shared[..], &["--datalake-close-age-s", "60"]].concat());
    let key = first.register().await;
    let card = first.card(&key, PAYS).await;
    let body = json!({ "api_key": key, "type": "package", "id": 1, "payment_method_id": card });
    let order = first.data(Method::POST, "stripe/buy", &body).await["id"].clone();
    assert_eq!(first.settled(&key, &order).await["status"], "paid");
    let pool = PgPool::connect(store.url.as_ref().unwrap()).await.unwrap();
    let count = async |query: &'static str| sqlx::query_scalar::<_, i64>(query).fetch_one(&pool).await.unwrap();
    eventually("the lake has received them", async || {
        (count("SELECT COUNT(*) FROM lake_rows WHERE NOT taken").await == 0).then_some(())
    })
    .await;
    // Its queue is lost with it.
    first.kill();

    let (_other, data) = folder();
    let later = (2 * HOUR_S).to_string();
    let more = ["--datalake-close-age-s", "1", "--audit-every-s", "1", "--clock-offset", &later];
    let second = Worker::start(&data, &[&shared[..], &more].concat());
    eventually("the missing row is reported", async || {
        second.log().contains("rows missing from a lake are queued again").then_some(())
    })
    .await;
    eventually("the lake has the row", async || {
        let claimed = count("SELECT COUNT(*) FROM lake_rows WHERE taken AND lake_table = 'order_event'").await;
        let agrees = || disagreements(&data).iter().all(|(rule, _)| !rule.starts_with("lake"));
        (claimed >= 2 && count("SELECT COUNT(*) FROM lake_rows WHERE NOT taken").await == 0 && agrees()).then_some(())
    })
    .await;
    pool.close().await;
}
