//! A PostgreSQL cluster for the tests of one process, which other crates' tests include as well.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};

use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection, Executor};
use tokio::sync::OnceCell;
use touchline_store::{PostgresAddress, postgres};

/// One cluster for all tests of this process; it ends with its standard input.
struct Cluster {
    address: String,
    _child: Mutex<(Child, ChildStdin)>,
}

fn cluster() -> &'static Cluster {
    static CLUSTER: OnceLock<Cluster> = OnceLock::new();
    CLUSTER.get_or_init(|| {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/postgresql");
        let mut child = Command::new(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
        assert!(address.starts_with("postgres://"), "{address:?}");
        Cluster { address: address.trim().to_owned(), _child: Mutex::new((child, stdin)) }
    })
}

/// Makes a database, after another one when `more` names its `TEMPLATE`.
pub(crate) async fn create(name: &str, more: &str) -> PostgresAddress {
    let mut connection = PgConnection::connect(&cluster().address).await.unwrap();
    let statement = format!("CREATE DATABASE {name} STRATEGY file_copy {more}");
    connection.execute(AssertSqlSafe(statement)).await.unwrap();
    connection.close().await.unwrap();
    url(name).parse().unwrap()
}

/// A name that no other database of the cluster has.
pub(crate) fn fresh() -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    format!("test_{}", NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// A database of its own, with the tables of this version.
pub(crate) async fn migrated() -> PostgresAddress {
    static TABLES: OnceCell<()> = OnceCell::const_new();
    TABLES
        .get_or_init(async || {
            postgres::migrate(&create("tables", "").await).await.unwrap();
        })
        .await;
    create(&fresh(), "TEMPLATE tables").await
}

fn url(name: &str) -> String {
    cluster().address.replace("/postgres?", &format!("/{name}?"))
}
