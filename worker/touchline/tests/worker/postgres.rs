//! A PostgreSQL cluster for these tests, and the store of a worker.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::LazyLock;

use parking_lot::Mutex;
use reqwest::Method;
use serde_json::json;
use sqlx::postgres::{PgConnection, PgPool};
use sqlx::{AssertSqlSafe, Connection, Executor, Row};
use tempfile::TempDir;
use tokio::time::Instant;

use crate::purchase::{COUNTED, charges};
use crate::restores::sale;
use crate::sockets::{hello, next};
use crate::support::{Worker, eventually, folder, fresh, run, text, touchline};

pub(crate) struct Cluster {
    address: String,
    /// It ends with this process or on drop. `None` for a cluster started by the test runner.
    script: Mutex<Option<(Child, ChildStdin, BufReader<ChildStdout>)>>,
}

impl Cluster {
    pub(crate) fn start() -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/postgresql");
        let mut child = Command::new(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let address = line(&mut stdout);
        assert!(address.starts_with("postgres://"), "{address:?}");
        Self { address, script: Mutex::new(Some((child, stdin, stdout))) }
    }

    fn shared() -> Self {
        match std::env::var("TOUCHLINE_TEST_POSTGRES") {
            Ok(address) => Self { address, script: Mutex::new(None) },
            Err(_) => Self::start(),
        }
    }

    /// Restarts it, as after a crash.
    pub(crate) fn restart(&self) {
        self.send_command("restart");
    }

    /// Promotes a standby.
    fn fail_over(&self) {
        self.send_command("failover");
    }

    fn send_command(&self, what: &str) {
        let mut script = self.script.lock();
        let (_, stdin, stdout) = script.as_mut().unwrap();
        writeln!(stdin, "{what}").unwrap();
        assert_eq!(line(stdout), self.address);
    }

    /// Creates a database with the current tables.
    pub(crate) async fn database(&self) -> String {
        let name = fresh("test").replace('-', "_");
        let mut connection = PgConnection::connect(&self.address).await.unwrap();
        connection.execute(AssertSqlSafe(format!("CREATE DATABASE {name} STRATEGY file_copy"))).await.unwrap();
        connection.close().await.unwrap();
        let url = self.address.replace("/postgres?", &format!("/{name}?"));
        let folder = tempfile::tempdir().unwrap();
        let migrated = run(folder.path(), &["migrate", "--store", &url]);
        assert!(migrated.status.success(), "{}", text(&migrated.stderr));
        assert!(text(&migrated.stdout).ends_with("is up to date\n"), "{}", text(&migrated.stdout));
        url
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Some((mut child, stdin, _)) = self.script.lock().take() {
            drop(stdin);
            let _ended = child.wait().is_ok();
        }
    }
}

fn line(from: &mut impl BufRead) -> String {
    let mut line = String::new();
    from.read_line(&mut line).unwrap();
    line.trim().to_owned()
}

/// The cluster of tests that do not restart it.
pub(crate) static SHARED: LazyLock<Cluster> = LazyLock::new(Cluster::shared);

/// The store of a worker.
pub(crate) struct TestStore {
    _folder: TempDir,
    pub(crate) data: PathBuf,
    /// The database, unless the store is a file.
    pub(crate) url: Option<String>,
}

impl TestStore {
    pub(crate) fn sqlite() -> Self {
        let (folder, data) = folder();
        Self { _folder: folder, data, url: None }
    }

    pub(crate) async fn postgres() -> Self {
        Self::of(&SHARED).await
    }

    pub(crate) async fn of(cluster: &Cluster) -> Self {
        Self { url: Some(cluster.database().await), ..Self::sqlite() }
    }

    /// Another worker's folder, with the same database.
    pub(crate) fn beside(&self) -> Self {
        Self { url: self.url.clone(), ..Self::sqlite() }
    }

    pub(crate) fn start(&self, more: &[&str]) -> Worker {
        let store: Vec<&str> = self.url.iter().flat_map(|url| ["--store", url]).collect();
        Worker::start(&self.data, &[&store, more].concat())
    }

    /// Count and sum of the provider's charges.
    pub(crate) async fn charges(&self) -> (i64, i64) {
        let Some(url) = &self.url else { return charges(&self.data).await };
        let pool = PgPool::connect(url).await.unwrap();
        let row = sqlx::query(COUNTED).fetch_one(&pool).await.unwrap();
        pool.close().await;
        (row.get("times"), row.get("amount"))
    }
}

/// Shows OPS-30e.
#[tokio::test]
async fn a_missing_or_outdated_database_is_reported_in_one_line() {
    let store = TestStore::postgres().await;
    let url = store.url.clone().unwrap();
    let bare = url.replace(url.split(['/', '?']).nth(3).unwrap(), "postgres");
    let refused = |line: &[&str]| {
        let output = run(store.data.parent().unwrap(), line);
        assert_eq!(output.status.code(), Some(2), "{line:?}: {}", text(&output.stdout));
        let message = text(&output.stderr);
        assert_eq!(message.trim_end().lines().count(), 1, "{message}");
        message
    };
    let data = store.data.to_str().unwrap();
    let serve = ["serve", "--listen", "127.0.0.1:0", "--data", data, "--store"];
    let message = refused(&[&serve[..], &[&bare]].concat());
    assert!(message.contains("has no tables yet; run `touchline migrate`"), "{message}");
    let message = refused(&[&serve[..], &["postgres://touchline:hunter2@127.0.0.1:1/none"]].concat());
    assert!(
        message.contains("postgres://127.0.0.1:1/none cannot be opened") && !message.contains("hunter2"),
        "{message}"
    );
    let message = refused(&["restore", "--data", data, "--store", &url, "backup"]);
    assert!(message.contains("pg_restore"), "{message}");

    let worker = store.start(&[]);
    let backup = run(store.data.parent().unwrap(), &["backup", "--data", data, "backup"]);
    assert_eq!(backup.status.code(), Some(1));
    assert!(text(&backup.stderr).contains("pg_dump"), "{}", text(&backup.stderr));
    assert!(!store.data.join("channel.sqlite").exists(), "a second store was created");
    assert!(worker.end().0.success());
}

/// Shows OPS-31.
#[tokio::test]
async fn a_channel_moves_from_its_file_into_postgresql_with_its_purchases() {
    let (sqlite, mut postgres) = (TestStore::sqlite(), TestStore::postgres().await);
    let worker = sqlite.start(&["--sandbox-delay-ms", "0"]);
    let key = worker.register().await;
    let card = worker.card(&key, "4242424242424242").await;
    let (_, answer) = worker.buy(&key, &card, &fresh("buy")).await;
    let order = worker.settled(&key, &answer["data"]["id"]).await;
    let (from, url) = (format!("sqlite:{}", sqlite.data.display()), postgres.url.clone().unwrap());
    let copy = || run(sqlite.data.parent().unwrap(), &["store", "copy", &from, &url]);
    let locked = copy();
    assert_eq!(locked.status.code(), Some(2));
    assert!(text(&locked.stderr).contains("in use by another worker"), "{}", text(&locked.stderr));
    assert!(worker.end().0.success());

    // A copy that is killed while waiting for a table has copied others already; running it again continues.
    let pool = PgPool::connect(&url).await.unwrap();
    let mut holding = pool.begin().await.unwrap();
    holding.execute("LOCK TABLE orders IN ACCESS EXCLUSIVE MODE").await.unwrap();
    let mut command = touchline(sqlite.data.parent().unwrap());
    let mut cut = command.args(["store", "copy", &from, &url]).stderr(Stdio::piped()).spawn().unwrap();
    let mut message = BufReader::new(cut.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert!(message.any(|line| line.starts_with("users: ")), "no user was copied");
    cut.kill().unwrap();
    cut.wait().unwrap();
    holding.rollback().await.unwrap();
    pool.close().await;

    let copied = copy();
    assert!(copied.status.success(), "{}", text(&copied.stderr));
    assert!(text(&copied.stdout).contains("counts and sums agree"), "{}", text(&copied.stdout));
    let again = text(&copy().stderr);
    assert!(again.contains("already contains records"), "{again}");
    // The data folder stays with one of the workers.
    postgres.data = sqlite.data.clone();
    let worker = postgres.start(&[]);
    assert_eq!(worker.order(&key, &answer["data"]["id"]).await, order);
    assert_eq!(postgres.charges().await, (1, order["total"].as_i64().unwrap()));
}

/// Runs a PostgreSQL program.
fn program(name: &str, line: &[&str]) {
    let output = Command::new(name).args(line).output().unwrap();
    assert!(output.status.success(), "{name}: {}", text(&output.stderr));
}

/// Shows OPS-30, OPS-53a as in `docs/several-workers.md`: a dump of a running channel, restored into another database.
#[tokio::test]
async fn a_restored_dump_has_the_purchases_and_a_new_epoch() {
    let store = TestStore::postgres().await;
    let url = store.url.clone().unwrap();
    let worker = store.start(&["--sandbox-delay-ms", "0"]);
    let key = worker.register().await;
    let card = worker.card(&key, "4242424242424242").await;
    let (_, answer) = worker.buy(&key, &card, &fresh("buy")).await;
    let order = worker.settled(&key, &answer["data"]["id"]).await;
    let (_socket, welcome) = hello(&worker, &key, None).await;
    let dump = store.data.with_file_name("channel.dump");
    program("pg_dump", &["--format=custom", "--file", dump.to_str().unwrap(), &url]);
    // Changes after the dump are lost.
    let favourite = json!({ "api_key": key, "favoritable_type": "participant", "favoritable_id": 101 });
    worker.data(Method::POST, "favorite", &favourite).await;
    assert!(worker.end().0.success());

    let name = url.split(['/', '?']).nth(3).unwrap();
    let restored = url.replace(name, &format!("{name}_restored"));
    let mut connection = PgConnection::connect(&url).await.unwrap();
    connection.execute(AssertSqlSafe(format!("CREATE DATABASE {name}_restored"))).await.unwrap();
    program("pg_restore", &["--exit-on-error", "--dbname", &restored, dump.to_str().unwrap()]);
    let store = TestStore { url: Some(restored), ..store };
    let worker = store.start(&["--sandbox-delay-ms", "0"]);
    assert_eq!(worker.order(&key, &answer["data"]["id"]).await, order);
    assert_eq!(store.charges().await, (1, order["total"].as_i64().unwrap()));
    let resume =
        json!({ "epoch": welcome["epoch"], "user_seq": welcome["user_seq"], "channel_seq": welcome["channel_seq"] });
    let (_socket, resumed) = hello(&worker, &key, Some(resume)).await;
    assert_eq!(resumed["mode"], "snapshot");
    assert_ne!(resumed["epoch"], welcome["epoch"]);
    // OPS-53: no number is used twice.
    let (later, receipt) = sale(&worker, &worker.register().await).await;
    assert!(later > 1_000_000 && receipt.ends_with("-B-000001"), "{later} {receipt}");
}

/// Ids of an empty database are consecutive.
#[tokio::test]
async fn orders_of_an_empty_database_are_numbered_from_one() {
    let store = TestStore::postgres().await;
    let worker = store.start(&["--sandbox-delay-ms", "0"]);
    let mut orders = Vec::new();
    for _ in 0..3 {
        orders.push(sale(&worker, &worker.register().await).await.0);
    }
    assert_eq!(orders, [1, 2, 3]);
}

/// Shows OPS-30: calls fail quickly without the database.
#[tokio::test]
async fn calls_fail_fast_without_the_database() {
    let cluster = Cluster::start();
    let (_folder, data) = folder();
    let worker = Worker::start(&data, &["--store", &cluster.database().await]);
    let key = worker.register().await;
    drop(cluster);
    let started = Instant::now();
    let answer = worker.http.get(worker.url(&format!("/api/favorites?api_key={key}"))).send().await.unwrap();
    assert_eq!(answer.status(), 503);
    assert!(answer.headers().contains_key("retry-after"));
    let failure: serde_json::Value = answer.json().await.unwrap();
    assert_eq!(failure["code"], "unavailable", "the store is not reported as unavailable: {failure}");
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
}

/// Shows OPS-30a, OPS-53a: both workers continue on the promoted standby and agree on a new epoch.
#[tokio::test]
async fn workers_continue_on_a_promoted_standby_with_a_new_epoch() {
    let cluster = Cluster::start();
    let (folder, url) = (tempfile::tempdir().unwrap(), cluster.database().await);
    let start = |name: &str| Worker::start(&folder.path().join(name), &["--store", &url, "--sandbox-delay-ms", "0"]);
    let workers = [start("one"), start("other")];
    let key = workers[0].register().await;
    let card = workers[0].card(&key, "4242424242424242").await;
    let (_, answer) = workers[0].buy(&key, &card, &fresh("buy")).await;
    let order = workers[0].settled(&key, &answer["data"]["id"]).await;
    let (mut socket, before) = hello(&workers[1], &key, None).await;
    cluster.fail_over();

    let started = Instant::now();
    // Its sockets are closed, because the standby may lack some statuses.
    while next(&mut socket).await.is_ok() {}
    println!("a socket was closed {:?} after the promotion", started.elapsed());
    let mut epochs = Vec::new();
    for worker in &workers {
        assert_eq!(worker.order(&key, &answer["data"]["id"]).await, order);
        let resume =
            json!({ "epoch": before["epoch"], "user_seq": before["user_seq"], "channel_seq": before["channel_seq"] });
        let resumed = eventually("positions start again", async || {
            let (_socket, resumed) = hello(worker, &key, Some(resume.clone())).await;
            (resumed["mode"] == "snapshot").then_some(resumed)
        })
        .await;
        assert_ne!(resumed["epoch"], before["epoch"]);
        epochs.push(resumed["epoch"].clone());
    }
    assert_eq!(epochs[0], epochs[1]);
    // OPS-53: the standby may lack numbers that were issued.
    let (later, receipt) = sale(&workers[1], &workers[1].register().await).await;
    assert!(later > 1_000_000 && receipt.ends_with("-B-000001"), "{later} {receipt}");
    // A change at one worker is pushed by the other.
    let (mut socket, _) = hello(&workers[1], &key, None).await;
    let second =
        json!({ "api_key": key, "type": "package", "id": 2, "participant_id": 101, "payment_method_id": card });
    workers[0].data(Method::POST, "stripe/buy", &second).await;
    while next(&mut socket).await.unwrap()["kind"] != "order" {}
}

/// `OPS-30`: migrations only add, and workers of the previous version keep running, as several-workers.md promises.
#[tokio::test]
async fn a_running_worker_tolerates_columns_of_a_newer_version() {
    let store = TestStore::postgres().await;
    let worker = store.start(&["--sandbox-delay-ms", "0"]);
    let key = worker.demo("demo").await;
    let reads = [
        "profile",
        "orders",
        "clips/user",
        "favorites",
        "transactions",
        "user/access",
        "stripe/list-cards",
        "subscriptions",
    ];
    let calls = async || {
        // More at once than there are database connections.
        for _ in 0..4 {
            let requests = reads.iter().cycle().take(32).map(async |call| {
                worker.data(Method::GET, &format!("{call}?api_key={key}"), &serde_json::Value::Null).await;
            });
            futures_util::future::join_all(requests).await;
        }
        let buyer = worker.register().await;
        let card = worker.card(&buyer, "4242424242424242").await;
        let body = json!({ "api_key": buyer, "type": "package", "id": 1, "payment_method_id": card });
        let order = worker.data(Method::POST, "stripe/buy", &body).await["id"].clone();
        assert_eq!(worker.settled(&buyer, &order).await["status"], "paid");
        worker.demo("demo").await;
    };
    calls().await;
    let pool = PgPool::connect(store.url.as_ref().unwrap()).await.unwrap();
    let tables: Vec<String> =
        sqlx::query_scalar("SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema()")
            .fetch_all(&pool)
            .await
            .unwrap();
    assert!(tables.len() > 20, "{tables:?}");
    for table in tables {
        pool.execute(AssertSqlSafe(format!("ALTER TABLE {table} ADD COLUMN of_a_newer_version BIGINT"))).await.unwrap();
    }
    calls().await;
    pool.close().await;
    assert!(!worker.log().contains("cached plan"), "{}", worker.log());
}
