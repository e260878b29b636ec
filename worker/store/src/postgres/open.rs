//! Connection to the database, and migration and checks of its tables.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::LazyLock;
use std::time::Duration;

use sqlx::migrate::{Migrate, MigrateError, Migrator};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection as _, PgPool, Row as _};
use touchline_protocol::ambient::Entropy;

use super::connections;
use super::sql::maintenance;
use crate::numbers::SkippedNumbers;
use crate::{StoreError, StoreResult};

static SHARED_MIGRATIONS: Migrator = sqlx::migrate!("./migrations");
static POSTGRES_MIGRATIONS: Migrator = sqlx::migrate!("./migrations/postgres");
/// The shared migrations and those of this backend.
static MIGRATIONS: LazyLock<Migrator> = LazyLock::new(|| {
    Migrator::with_migrations(SHARED_MIGRATIONS.iter().chain(POSTGRES_MIGRATIONS.iter()).cloned().collect())
});

/// Timeouts that PostgreSQL enforces on a connection, in milliseconds; 0 is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Timeouts {
    pub(crate) statement_ms: u32,
    pub(crate) idle_in_transaction_ms: u32,
}

/// Timeouts of a worker, so that a stuck one doesn't block others with its locks.
const TIMEOUTS: Timeouts = Timeouts { statement_ms: 30_000, idle_in_transaction_ms: 10_000 };
/// Longest wait for a connection. Viewers soon learn that the database is unavailable.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(3);
/// Connection attempts at startup, each as long. Database and worker may start at the same time.
const OPEN_ATTEMPTS: u32 = 7;

/// Address of the database, `postgres://…`. Displayed without the password.
#[derive(Clone)]
pub struct PostgresAddress {
    options: PgConnectOptions,
    connections: u32,
}

impl FromStr for PostgresAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if !["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme)) {
            return Err("postgres://USER:PASSWORD@HOST/DATABASE".to_owned());
        }
        let options =
            PgConnectOptions::from_str(text).map_err(|error| format!("invalid PostgreSQL address: {error}"))?;
        Ok(Self { options, connections: connections::DEFAULT })
    }
}

impl fmt::Display for PostgresAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { options, .. } = self;
        let host = options.get_socket().map_or_else(|| options.get_host().into(), |path| path.to_string_lossy());
        let database = options.get_database().unwrap_or_else(|| options.get_username());
        write!(formatter, "postgres://{host}:{}/{database}", options.get_port())
    }
}

impl fmt::Debug for PostgresAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl PostgresAddress {
    /// Limits the connections of a worker, to between [`connections::MIN`] and [`connections::MAX`].
    #[must_use]
    pub fn with_connections(self, connections: u32) -> Self {
        Self { connections: connections.clamp(connections::MIN, connections::MAX), ..self }
    }

    pub(super) fn connections(&self) -> u32 {
        self.connections
    }

    /// The connection options for sqlx, with startup parameters that PgBouncer accepts by default.
    pub fn options(&self) -> PgConnectOptions {
        // PostgreSQL 12 and later print floating-point numbers exactly without the parameter.
        self.options.clone().application_name("touchline").extra_float_digits(None)
    }

    fn cannot_open(&self, error: &impl fmt::Display) -> StoreError {
        StoreError::CannotOpen { path: PathBuf::from(self.to_string()), cause: one_line(error) }
    }
}

fn one_line(error: &impl fmt::Display) -> String {
    error.to_string().lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

/// Options of a pool that sets `timeouts` on each connection. As startup parameters, a pooler would refuse or drop them.
pub(crate) fn pool_options(connections: u32, timeouts: Timeouts) -> PgPoolOptions {
    let Timeouts { statement_ms, idle_in_transaction_ms } = timeouts;
    let statements = format!(
        "SET statement_timeout = {statement_ms}; SET idle_in_transaction_session_timeout = {idle_in_transaction_ms}"
    );
    PgPoolOptions::new().max_connections(connections).after_connect(move |connection, _| {
        let statements = AssertSqlSafe(statements.clone());
        Box::pin(async move { sqlx::raw_sql(statements).execute(connection).await.map(drop) })
    })
}

pub(super) async fn pool(address: &PostgresAddress, connections: u32) -> StoreResult<PgPool> {
    let options = pool_options(connections, TIMEOUTS).acquire_timeout(CONNECTION_TIMEOUT);
    let mut attempts = 1;
    let pool = loop {
        match options.clone().connect_with(address.options()).await {
            Err(sqlx::Error::PoolTimedOut) if attempts < OPEN_ATTEMPTS => attempts += 1,
            opened => break opened.map_err(|error| address.cannot_open(&error))?,
        }
    };
    check_sessions(address, &pool, TIMEOUTS).await?;
    Ok(pool)
}

/// Checks that connections are sessions of their own, with their timeouts. `LISTEN`, advisory locks and timeouts belong
/// to a session, which a pooler in transaction mode gives to another client after each transaction.
async fn check_sessions(address: &PostgresAddress, pool: &PgPool, timeouts: Timeouts) -> StoreResult<()> {
    let refused = |cause: String| StoreError::CannotOpen { path: PathBuf::from(address.to_string()), cause };
    let cannot_open = |error: sqlx::Error| address.cannot_open(&error);
    let mut first = pool.acquire().await.map_err(cannot_open)?;
    // Two connections that are open at once share a session only in a pooler.
    let mut second = sqlx::PgConnection::connect_with(&address.options()).await.map_err(cannot_open)?;
    let before = session(&mut first).await.map_err(cannot_open)?;
    let of_second = session(&mut second).await.map_err(cannot_open)?;
    let after = session(&mut first).await.map_err(cannot_open)?;
    second.close().await.map_err(cannot_open)?;
    if of_second.process == before.process || after.process != before.process {
        return Err(refused("a pooler shares sessions; set `pool_mode = session` in PgBouncer".to_owned()));
    }
    if after.timeouts != timeouts {
        let expected = format!("{:?} instead of {timeouts:?}; connect without a pooler", after.timeouts);
        return Err(refused(format!("the connection ignores SET: {expected}")));
    }
    Ok(())
}

struct Session {
    process: i32,
    timeouts: Timeouts,
}

/// The session of a connection. A prepared statement would fail in a pooler in transaction mode.
async fn session(connection: &mut sqlx::PgConnection) -> sqlx::Result<Session> {
    let row = sqlx::raw_sql(
        "SELECT pg_backend_pid(),
                (SELECT setting::int FROM pg_settings WHERE name = 'statement_timeout'),
                (SELECT setting::int FROM pg_settings WHERE name = 'idle_in_transaction_session_timeout')",
    )
    .fetch_one(connection)
    .await?;
    let timeout = |index| row.try_get(index).map(i32::unsigned_abs);
    Ok(Session {
        process: row.try_get(0)?,
        timeouts: Timeouts { statement_ms: timeout(1)?, idle_in_transaction_ms: timeout(2)? },
    })
}

/// Whether the connection is lost or closed by the server. Its transactions are rolled back.
pub(super) fn is_lost_connection(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) => true,
        // 57P01 to 57P03: the server is stopping or starting. 08: the connection failed.
        sqlx::Error::Database(error) => {
            error.code().is_some_and(|code| code.starts_with("57P") || code.starts_with("08"))
        }
        _ => false,
    }
}

/// Creates the tables, or migrates them to this version.
///
/// # Errors
/// [`StoreError::CannotOpen`], [`StoreError::Newer`], and [`StoreError::Foreign`] for another application's database.
pub async fn migrate(address: &PostgresAddress) -> StoreResult<()> {
    let cannot_open = |error: sqlx::Error| address.cannot_open(&error);
    // Migrating large tables may exceed the usual timeouts.
    let timeouts = Timeouts { statement_ms: 0, ..TIMEOUTS };
    let pool = pool_options(1, timeouts).connect_with(address.options()).await.map_err(cannot_open)?;
    check_sessions(address, &pool, timeouts).await?;
    let (ours, all): (i64, i64) = sqlx::query_as(
        "SELECT COUNT(CASE WHEN tablename = '_sqlx_migrations' THEN 1 END), COUNT(*) FROM pg_tables
         WHERE schemaname = current_schema()",
    )
    .fetch_one(&pool)
    .await
    .map_err(cannot_open)?;
    if ours == 0 && all > 0 {
        let cause = "has tables from another application; use an empty database".to_owned();
        return Err(StoreError::Unmigrated { store: address.to_string(), cause });
    }
    MIGRATIONS.run(&pool).await.map_err(|error| of_migrate(address, error))?;
    pool.close().await;
    Ok(())
}

/// Checks that the tables exist and have this version.
pub(super) async fn check(address: &PostgresAddress, pool: &PgPool) -> StoreResult<()> {
    let is_there: bool = sqlx::query_scalar("SELECT to_regclass('_sqlx_migrations') IS NOT NULL")
        .fetch_one(pool)
        .await
        .map_err(|error| address.cannot_open(&error))?;
    let unmigrated = |cause: &str| StoreError::Unmigrated {
        store: address.to_string(),
        cause: format!("{cause}; run `touchline migrate` with the same settings"),
    };
    if !is_there {
        return Err(unmigrated("has no tables yet"));
    }
    let is_half: bool = sqlx::query_scalar("SELECT to_regclass('copied_until') IS NOT NULL")
        .fetch_one(pool)
        .await
        .map_err(|error| address.cannot_open(&error))?;
    if is_half {
        let cause = "is partly copied; run the same `touchline store copy` again".to_owned();
        return Err(StoreError::Unmigrated { store: address.to_string(), cause });
    }
    let mut connection = pool.acquire().await.map_err(|error| address.cannot_open(&error))?;
    let applied =
        connection.list_applied_migrations("_sqlx_migrations").await.map_err(|error| of_migrate(address, error))?;
    let newest = MIGRATIONS.iter().filter(|known| known.version < 9000).map(|known| known.version).max();
    if let Some(later) = applied.iter().find(|it| !MIGRATIONS.version_exists(it.version)) {
        let cause = format!("it has migration {}, the latest supported is {}", later.version, newest.unwrap_or(0));
        return Err(StoreError::Newer { path: PathBuf::from(address.to_string()), cause });
    }
    if MIGRATIONS.iter().any(|known| !applied.iter().any(|it| it.version == known.version)) {
        return Err(unmigrated("has an older version"));
    }
    Ok(())
}

fn of_migrate(address: &PostgresAddress, error: MigrateError) -> StoreError {
    match error {
        MigrateError::VersionMissing(_) | MigrateError::VersionTooNew(..) => {
            StoreError::Newer { path: PathBuf::from(address.to_string()), cause: one_line(&error) }
        }
        error => address.cannot_open(&error),
    }
}

/// Identity of the tables: cluster, timeline and database. It changes with a restored dump and a promoted standby, but
/// not with restored files of the cluster. The timeline is that of the current log, because the control file is updated
/// only minutes after a promotion.
macro_rules! database_identity {
    () => {
        "(SELECT system_identifier::text FROM pg_control_system())
            || '/' || LEFT(pg_walfile_name(pg_current_wal_lsn()), 8)
            || '/' || (SELECT oid::text FROM pg_database WHERE datname = current_database())"
    };
}
pub(super) use database_identity;

/// Returns the epoch of the positions. It changes when the tables moved, so that positions issued after a backup aren't
/// mistaken for new ones.
pub(super) async fn epoch(pool: &PgPool) -> StoreResult<String> {
    let mut transaction = pool.begin().await?;
    sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(super::STORE_LOCK).execute(&mut *transaction).await?;
    let (here, fresh): (String, String) =
        sqlx::query_as(concat!("SELECT ", database_identity!(), ", REPLACE(gen_random_uuid()::text, '-', '')"))
            .fetch_one(&mut *transaction)
            .await?;
    let there: Option<String> = sqlx::query_scalar("SELECT value FROM remembered WHERE name = 'place'")
        .fetch_optional(&mut *transaction)
        .await?;
    if there.as_ref() != Some(&here) {
        let is_used: bool = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM remembered WHERE name = 'epoch')")
            .fetch_one(&mut *transaction)
            .await?;
        if is_used {
            skip_numbers(&mut transaction).await?;
        }
        for (name, value) in [("place", &here), ("epoch", &fresh)] {
            sqlx::query(
                "INSERT INTO remembered (name, value) VALUES ($1, $2)
                 ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            )
            .bind(name)
            .bind(value)
            .execute(&mut *transaction)
            .await?;
        }
    }
    let epoch =
        sqlx::query_scalar("SELECT value FROM remembered WHERE name = 'epoch'").fetch_one(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(epoch)
}

/// Continues with ids that nobody has seen, and new series of receipts, since the other tables may have issued more
/// (`OPS-53`).
async fn skip_numbers(transaction: &mut sqlx::PgConnection) -> StoreResult<()> {
    let age_ms: Option<i64> = sqlx::query_scalar(
        "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) - MAX(last_seen_at) FROM api_keys",
    )
    .fetch_one(&mut *transaction)
    .await?;
    let skipped = SkippedNumbers::at_age(age_ms.unwrap_or(0));
    sqlx::query(
        "SELECT setval(CAST(c.oid AS regclass), nextval(CAST(c.oid AS regclass)) + $1) FROM pg_class c
         JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE c.relkind = 'S' AND n.nspname = current_schema() AND c.relname LIKE 'ids!_%' ESCAPE '!'",
    )
    .bind(skipped.ids)
    .execute(&mut *transaction)
    .await?;
    sqlx::query(
        "INSERT INTO remembered (name, value) VALUES ('receipt_letter', CAST($1 AS TEXT))
         ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(remembered.value AS BIGINT) + $1 AS TEXT)",
    )
    .bind(skipped.letters)
    .execute(&mut *transaction)
    .await?;
    Ok(())
}

/// Returns the store's secret for hashes of email addresses, created on first use.
pub(super) async fn address_secret(pool: &PgPool, entropy: &dyn Entropy) -> StoreResult<[u8; 32]> {
    let mut bytes = [0; 32];
    entropy.fill(&mut bytes);
    let stored = maintenance::stored_value(pool, "address_secret", &hex::encode(bytes)).await?;
    hex::decode_to_slice(&stored, &mut bytes).map_err(StoreError::encoding)?;
    Ok(bytes)
}
