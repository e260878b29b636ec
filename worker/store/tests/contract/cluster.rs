//! A PostgreSQL cluster for tests, also included by other crates' tests. It is the test runner's cluster if there is
//! one, otherwise one of this process.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, OnceLock};

use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection, Executor};
use tokio::sync::OnceCell;
use touchline_store::{PostgresAddress, postgres};

struct Cluster {
    address: String,
    /// Ends when its standard input closes.
    _child: Option<Mutex<(Child, ChildStdin)>>,
}

fn cluster() -> &'static Cluster {
    static CLUSTER: OnceLock<Cluster> = OnceLock::new();
    CLUSTER.get_or_init(|| {
        if let Ok(address) = std::env::var("TOUCHLINE_TEST_POSTGRES") {
            return Cluster { address, _child: None };
        }
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/postgresql");
        let mut child = Command::new(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
        assert!(address.starts_with("postgres://"), "{address:?}");
        Cluster { address: address.trim().to_owned(), _child: Some(Mutex::new((child, stdin))) }
    })
}

async fn connect() -> PgConnection {
    PgConnection::connect(&cluster().address).await.unwrap()
}

async fn create(connection: &mut PgConnection, name: &str, more: &str) -> PostgresAddress {
    let statement = format!("CREATE DATABASE {name} STRATEGY file_copy {more}");
    connection.execute(AssertSqlSafe(statement)).await.unwrap();
    cluster().address.replace("/postgres?", &format!("/{name}?")).parse().unwrap()
}

/// Creates a database. `more` can name a `TEMPLATE`.
pub(crate) async fn fresh(more: &str) -> PostgresAddress {
    let mut connection = connect().await;
    let draw = sqlx::query_scalar("SELECT 'test_' || replace(gen_random_uuid()::text, '-', '')");
    let name: String = draw.fetch_one(&mut connection).await.unwrap();
    let address = create(&mut connection, &name, more).await;
    connection.close().await.unwrap();
    address
}

/// Creates a database with the tables of this version.
pub(crate) async fn migrated() -> PostgresAddress {
    static TABLES: OnceCell<()> = OnceCell::const_new();
    TABLES.get_or_init(tables).await;
    fresh("TEMPLATE tables").await
}

/// Creates the template, unless another process already has.
async fn tables() {
    let mut connection = connect().await;
    connection.execute("SELECT pg_advisory_lock(1)").await.unwrap();
    let count = sqlx::query_scalar("SELECT count(*) FROM pg_database WHERE datname = 'tables'");
    let count: i64 = count.fetch_one(&mut connection).await.unwrap();
    if count == 0 {
        postgres::migrate(&create(&mut connection, "tables", "").await).await.unwrap();
    }
    connection.close().await.unwrap();
}
