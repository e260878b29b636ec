//! A store in PostgreSQL, shared by several workers.
//!
//! The statements in the folder `sql` assume a single writer. Here each transaction first takes advisory locks: a
//! shared lock on the store and an exclusive one on the user that it is about ([`sql::Subject`]), otherwise an
//! exclusive lock on the store. Whatever reads, decides and writes therefore does so alone, while transactions of
//! different users run concurrently. Locks are taken in a fixed order, so there are no deadlocks.
//!
//! | module | contents |
//! |---|---|
//! | [`open`] | connection, migration and checks |
//! | [`connections`] | number of connections, which follows their use |
//! | [`feed`] | changes committed by any worker |
//! | [`node`] | heartbeat of this worker, which protects its claimed jobs |

pub mod connections;
mod feed;
mod node;
mod open;
// Compiled once per backend, against its own driver.
#[path = "../sql/mod.rs"]
mod sql;

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use sqlx::{PgConnection, PgPool, Postgres, Transaction};
use tokio::sync::broadcast;
use tokio::time::Instant;
use touchline_protocol::ambient::Entropy;

use connections::{IDLE_READERS, IDLE_WRITERS, Shares};
use feed::Feed;
use node::Node;
pub use open::{PostgresAddress, migrate};
pub(crate) use open::{Timeouts, pool_options};
use sql::{Claiming, Subject, Write};

use crate::{Change, Store, StoreError, StoreResult};

/// Changes that a subscriber can lag behind before it must resume from its position.
const MAX_LAG: usize = 4096;
/// Key of the lock on the store. A user's lock has a pair as key, so the two can't collide.
const STORE_LOCK: i64 = 0x746f_7563_686c_696e;
/// First half of the key of a user's lock.
const USER_LOCK: i32 = 1;
/// Lifetime of the cached holder of a job. Shorter than the time after which a silent worker is considered dead.
const HOLDER_LIFETIME: Duration = Duration::from_secs(5);
/// Attempts to start a transaction, each on another connection.
const MAX_ATTEMPTS: u32 = 3;

const IS_SHARED: bool = true;
/// Most waiting clips that a worker claims, so that other workers get some too.
const MAX_CLAIMED_CLIPS: i64 = 32;

/// The driver that the statements are compiled for.
type Db = Postgres;
type Connection = PgConnection;
type SqlStore = PostgresStore;
type WriteTransaction = Transaction<'static, Db>;

/// The strings of a parameter that is a JSON list.
macro_rules! texts_of {
    ($parameter:literal) => {
        concat!("(SELECT value FROM json_array_elements_text(CAST(", $parameter, " AS JSON)))")
    };
}
/// The numbers of a parameter that is a JSON list.
macro_rules! numbers_of {
    ($parameter:literal) => {
        concat!("(SELECT CAST(value AS BIGINT) FROM json_array_elements_text(CAST(", $parameter, " AS JSON)))")
    };
}
/// A new id for a table, from its sequence without locking. No row on a promoted standby whose numbers are not skipped
/// yet (`OPS-53`), which shows in the timeline.
macro_rules! next_id {
    () => {
        "SELECT nextval(CAST('ids_' || $1 AS regclass)) FROM remembered WHERE name = 'place'
         AND SPLIT_PART(value, '/', 2) = LEFT(pg_walfile_name(pg_current_wal_lsn()), 8)"
    };
}
/// The letter of new receipts, and the channel of an order. No row on a promoted standby, like [`next_id!`].
macro_rules! receipt_letter {
    () => {
        "SELECT COALESCE((SELECT CAST(value AS BIGINT) FROM remembered WHERE name = 'receipt_letter'), 0),
                (SELECT channel_key FROM orders WHERE id = $1)
         FROM remembered WHERE name = 'place'
         AND SPLIT_PART(value, '/', 2) = LEFT(pg_walfile_name(pg_current_wal_lsn()), 8)"
    };
}
/// Whether no other live worker has claimed a job.
macro_rules! unclaimed {
    ($job:literal, $node:literal) => {
        concat!(
            "NOT EXISTS (SELECT 1 FROM claims theirs JOIN nodes n ON n.node = theirs.node WHERE theirs.job = ",
            $job,
            " AND theirs.node <> ",
            $node,
            " AND n.until > clock_timestamp())"
        )
    };
}
/// Skips rows that another transaction is changing or claiming, and locks the rest.
macro_rules! skip_locked {
    ($table:literal) => {
        concat!(" FOR UPDATE OF ", $table, " SKIP LOCKED")
    };
}
use {next_id, numbers_of, receipt_letter, skip_locked, texts_of, unclaimed};

/// Claims jobs that no live worker has claimed. Returns those that belong to this worker.
async fn claim_jobs(write: &mut Connection, node: &str, mut jobs: Vec<String>) -> StoreResult<HashSet<String>> {
    if jobs.is_empty() {
        return Ok(HashSet::new());
    }
    // A fixed order avoids deadlocks between workers that claim the same jobs.
    jobs.sort();
    let ours: Vec<String> = sqlx::query_scalar(
        "INSERT INTO claims (job, node, at) SELECT DISTINCT job, $2, clock_timestamp() FROM UNNEST($1::text[]) AS job
         ORDER BY job
         ON CONFLICT (job) DO UPDATE SET node = excluded.node, at = excluded.at
         WHERE claims.node = excluded.node
            OR NOT EXISTS (SELECT 1 FROM nodes n WHERE n.node = claims.node AND n.until > clock_timestamp())
         RETURNING job",
    )
    .bind(jobs)
    .bind(node)
    .fetch_all(write)
    .await?;
    Ok(ours.into_iter().collect())
}

/// A store in PostgreSQL.
#[derive(Debug, Clone)]
pub struct PostgresStore(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    writers: PgPool,
    readers: PgPool,
    changes: broadcast::Sender<Change>,
    feed: Arc<Feed>,
    node: Arc<Node>,
    /// Cached holders of jobs, with the time of the query.
    turns: Mutex<HashMap<String, (bool, Instant)>>,
    /// Key of the hashes of email addresses that outlive their account.
    address_secret: [u8; 32],
}

impl Store for PostgresStore {}

impl PostgresStore {
    /// Connects to a database whose tables have this version. `node` is a unique name of this worker. A worker that
    /// restarts under its name continues with its claimed jobs.
    ///
    /// # Errors
    /// [`StoreError::CannotOpen`], [`StoreError::Unmigrated`], [`StoreError::Newer`].
    pub async fn open(address: &PostgresAddress, node: &str, entropy: &dyn Entropy) -> StoreResult<Self> {
        let shares = Shares::of(address.connections());
        let writers = open::pool(address, shares.writers).await?;
        open::check(address, &writers).await?;
        let readers = open::pool(address, shares.readers).await?;
        let address_secret = open::address_secret(&writers, entropy).await?;
        let (changes, _) = broadcast::channel(MAX_LAG);
        let node = Node::start(readers.clone(), node.to_owned()).await?;
        let feed = Feed::start(readers.clone(), changes.clone(), node.name()).await?;
        tokio::spawn(connections::follow_use(writers.clone(), IDLE_WRITERS));
        tokio::spawn(connections::follow_use(readers.clone(), IDLE_READERS));
        let turns = Mutex::default();
        Ok(Self(Arc::new(Inner { writers, readers, changes, feed, node, turns, address_secret })))
    }

    fn readers(&self) -> &PgPool {
        &self.0.readers
    }

    /// Nothing to do: PostgreSQL's files belong to its operator.
    #[expect(clippy::unused_async, reason = "another backend writes its file here")]
    async fn empty_journal(&self) -> StoreResult<()> {
        Ok(())
    }

    /// Starts a write transaction that runs alone.
    async fn write(&self) -> StoreResult<Write> {
        Ok(self.with_announcer(self.begin(None).await?))
    }

    /// Starts a write transaction about one subject, concurrent with those about others.
    async fn write_about(&self, subject: Subject) -> StoreResult<Write> {
        Ok(self.with_announcer(self.begin(Some(subject)).await?))
    }

    fn with_announcer(&self, transaction: WriteTransaction) -> Write {
        Write::new(transaction, Announcer { feed: Arc::clone(&self.0.feed), last: None })
    }

    /// The server's clock in Unix milliseconds, shared by all workers.
    async fn clock_ms(&self) -> StoreResult<Option<i64>> {
        let now = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";
        Ok(Some(sqlx::query_scalar(now).fetch_one(&self.0.readers).await?))
    }

    /// Starts a search for jobs, while no transaction runs alone.
    async fn claiming(&self) -> StoreResult<Claiming> {
        Ok(Claiming::new(self.begin(Some(Subject::Row)).await?, self.node()))
    }

    /// The epoch changes when the tables moved, even while this worker runs.
    fn current_epoch(&self) -> String {
        self.0.feed.epoch()
    }

    fn node(&self) -> String {
        self.0.node.name()
    }

    /// The cached holder of a job.
    fn cached_holder(&self, job: &str) -> Option<bool> {
        self.0.turns.lock().get(job).filter(|(_, at)| at.elapsed() < HOLDER_LIFETIME).map(|(is_ours, _)| *is_ours)
    }

    fn cache_holder(&self, job: &str, is_ours: bool) {
        self.0.turns.lock().insert(job.to_owned(), (is_ours, Instant::now()));
    }

    /// The server watches its own disk.
    #[expect(clippy::unused_self, reason = "another backend has state here")]
    fn has_failed_commit(&self) -> bool {
        false
    }

    /// Starts a transaction and takes its locks. If the connection is broken nothing was done, so it tries another one.
    async fn begin(&self, subject: Option<Subject>) -> StoreResult<WriteTransaction> {
        let mut attempts = 0;
        loop {
            attempts += 1;
            match self.begin_once(subject).await {
                Err(error) if attempts < MAX_ATTEMPTS && open::is_lost_connection(&error) => {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
                transaction => return Ok(transaction?),
            }
        }
    }

    async fn begin_once(&self, subject: Option<Subject>) -> Result<WriteTransaction, sqlx::Error> {
        let mut transaction = self.0.writers.begin().await?;
        let user_id = match subject {
            None => {
                sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(STORE_LOCK).execute(&mut *transaction).await?;
                return Ok(transaction);
            }
            Some(Subject::Person(user_id)) => Some(user_id),
            Some(Subject::Order(id)) => {
                sqlx::query_scalar("SELECT user_id FROM orders WHERE id = $1")
                    .bind(id)
                    .fetch_optional(&mut *transaction)
                    .await?
            }
            Some(Subject::Row) => None,
        };
        let Some(user_id) = user_id else {
            sqlx::query("SELECT pg_advisory_xact_lock_shared($1)").bind(STORE_LOCK).execute(&mut *transaction).await?;
            return Ok(transaction);
        };
        // Two users with equal lower halves only wait for each other.
        #[expect(clippy::cast_possible_truncation, reason = "collisions are harmless, see above")]
        let lock_id = user_id as i32;
        sqlx::query("SELECT pg_advisory_xact_lock_shared($1), pg_advisory_xact_lock($2, $3)")
            .bind(STORE_LOCK)
            .bind(USER_LOCK)
            .bind(lock_id)
            .execute(&mut *transaction)
            .await?;
        Ok(transaction)
    }

    /// Starts a read transaction with a consistent snapshot.
    async fn read(&self) -> StoreResult<Transaction<'static, Db>> {
        Ok(self.0.readers.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?)
    }

    /// Refused: PostgreSQL's own tools make a consistent backup while workers run, without this worker's memory.
    #[expect(clippy::unused_async, reason = "another backend writes a file here")]
    async fn back_up(&self, target: &Path) -> StoreResult<()> {
        let cause = "is not supported for records in PostgreSQL, use `pg_dump --format=custom`";
        Err(StoreError::Backup { path: target.to_owned(), cause: cause.to_owned() })
    }

    async fn close_connections(&self) {
        self.0.feed.stop().await;
        self.0.node.stop().await;
        self.0.readers.close().await;
        self.0.writers.close().await;
    }
}

/// Announces a commit to the subscribers of all workers.
struct Announcer {
    feed: Arc<Feed>,
    /// ID of the last row written.
    last: Option<i64>,
}

impl Announcer {
    /// Writes the announcements into the transaction.
    async fn record(&mut self, write: &mut Connection, changes: &[Change]) -> StoreResult<()> {
        self.last = feed::record(write, changes).await?;
        Ok(())
    }

    /// Nothing to do: the database knows the outcome of the transaction.
    fn commit_failed(&self) {}

    /// Waits until this worker's subscribers have the changes, and notifies the other workers.
    async fn publish(self, _changes: Vec<Change>) {
        if let Some(last) = self.last {
            self.feed.wait_delivered(last).await;
        }
    }
}
