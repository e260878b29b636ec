//! The store in PostgreSQL, which several workers share.
//!
//! The statements are those of the folder `sql`, and were written for one writer. Here each transaction first takes an
//! advisory lock: a share of the store and all of one person when the statements say whom they are about
//! ([`sql::Subject`]), else all of the store. So whatever reads, decides and writes does so alone, transactions of
//! different people run beside each other, and since the locks are taken in one order nobody waits in a circle.
//!
//! | module | what |
//! |---|---|
//! | [`open`] | connecting, migrating, checking |
//! | [`feed`] | hearing of what any worker committed |
//! | [`node`] | saying that this worker lives, so that its jobs are its own |

mod feed;
mod node;
mod open;
// Compiled once for each backend, against its own driver.
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

use feed::Feed;
use node::Node;
pub use open::{PostgresAddress, migrate};
use sql::{Claiming, Subject, Write};

use crate::{Change, Store, StoreError, StoreResult};

/// How many changes a subscriber may lag behind before it must start again from its position.
const CHANGES_KEPT: usize = 4096;
/// Connections of a worker that write, and as many that read.
const CONNECTIONS: u32 = 10;
/// The key of the lock on the store; one of a person is a pair, which is never the same.
const STORE_LOCK: i64 = 0x746f_7563_686c_696e;
/// The first half of the key of a person's lock.
const PERSON_LOCK: i32 = 1;
/// How long it is believed whose turn a job is: shorter than a worker counts as alive that says nothing.
const TURN_KNOWN_FOR: Duration = Duration::from_secs(5);
/// How often a transaction is begun anew on another connection.
const BEGINNINGS: u32 = 3;

/// Several workers may share it.
const IS_SHARED: bool = true;
/// How many clips that wait a worker claims; others may have the rest.
const CLIPS_AT_ONCE: i64 = 32;

/// What the statements are compiled for.
type Db = Postgres;
type Connection = PgConnection;
type SqlStore = PostgresStore;
type Begun = Transaction<'static, Db>;

/// The texts of a parameter that is a JSON list.
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
/// A new id of a table: of a sequence, which nobody waits for.
macro_rules! next_id {
    () => {
        "SELECT nextval('ids') WHERE $1 <> ''"
    };
}
/// Whether no other worker that lives has claimed a job.
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
/// Leaves out rows that somebody changes or claims just now, and keeps others from the rest.
macro_rules! skip_locked {
    ($table:literal) => {
        concat!(" FOR UPDATE OF ", $table, " SKIP LOCKED")
    };
}
use {next_id, numbers_of, skip_locked, texts_of, unclaimed};

/// Claims jobs that no living worker has; gives those that are this one's.
async fn claim_jobs(write: &mut Connection, node: &str, mut jobs: Vec<String>) -> StoreResult<HashSet<String>> {
    if jobs.is_empty() {
        return Ok(HashSet::new());
    }
    // In one order, so that two who claim the same ones do not wait in a circle.
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

/// The store in PostgreSQL.
#[derive(Debug, Clone)]
pub struct PostgresStore(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    writers: PgPool,
    readers: PgPool,
    changes: broadcast::Sender<Change>,
    feed: Arc<Feed>,
    node: Arc<Node>,
    /// Whose turn each job was, and when that was asked.
    turns: Mutex<HashMap<String, (bool, Instant)>>,
    /// What the hashes of addresses are keyed with that outlive their account.
    address_secret: [u8; 32],
}

impl Store for PostgresStore {}

impl PostgresStore {
    /// Connects to a database whose tables are of this version. `node` is this worker's name, another one for each
    /// worker; one that starts anew under its name goes on with what it had claimed.
    ///
    /// # Errors
    /// [`StoreError::Unopened`], [`StoreError::Unmigrated`], [`StoreError::Newer`].
    pub async fn open(address: &PostgresAddress, node: &str, entropy: &dyn Entropy) -> StoreResult<Self> {
        let writers = open::pool(address, CONNECTIONS).await?;
        open::check(address, &writers).await?;
        let readers = open::pool(address, CONNECTIONS).await?;
        let address_secret = open::address_secret(&writers, entropy).await?;
        let (changes, _) = broadcast::channel(CHANGES_KEPT);
        let node = Node::begin(readers.clone(), node.to_owned()).await?;
        let feed = Feed::start(readers.clone(), changes.clone(), node.name()).await?;
        let turns = Mutex::default();
        Ok(Self(Arc::new(Inner { writers, readers, changes, feed, node, turns, address_secret })))
    }

    fn readers(&self) -> &PgPool {
        &self.0.readers
    }

    /// PostgreSQL's own files are its operator's; nothing of ours keeps what was written over.
    #[expect(clippy::unused_async, reason = "another backend writes its file here")]
    async fn empty_journal(&self) -> StoreResult<()> {
        Ok(())
    }

    /// Begins a transaction that writes while nobody else does.
    async fn write(&self) -> StoreResult<Write> {
        Ok(self.announced(self.begin(None).await?))
    }

    /// Begins a transaction that writes about one subject, beside those about others.
    async fn write_about(&self, subject: Subject) -> StoreResult<Write> {
        Ok(self.announced(self.begin(Some(subject)).await?))
    }

    fn announced(&self, begun: Begun) -> Write {
        Write::begun(begun, Announcer { feed: Arc::clone(&self.0.feed), last: None })
    }

    /// The server's clock, Unix milliseconds: one for all workers.
    async fn clock_ms(&self) -> StoreResult<Option<i64>> {
        let now = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";
        Ok(Some(sqlx::query_scalar(now).fetch_one(&self.0.readers).await?))
    }

    /// Begins to look for jobs, while nobody writes alone.
    async fn claiming(&self) -> StoreResult<Claiming> {
        Ok(Claiming::begun(self.begin(Some(Subject::Row)).await?, self.node()))
    }

    /// Positions begin anew when the tables are found in another place, also while this worker runs.
    fn present_epoch(&self) -> String {
        self.0.feed.epoch()
    }

    fn node(&self) -> String {
        self.0.node.name()
    }

    /// Whose turn it was a moment ago.
    fn known_turn(&self, job: &str) -> Option<bool> {
        self.0.turns.lock().get(job).filter(|(_, at)| at.elapsed() < TURN_KNOWN_FOR).map(|(is_ours, _)| *is_ours)
    }

    fn note_turn(&self, job: &str, is_ours: bool) {
        self.0.turns.lock().insert(job.to_owned(), (is_ours, Instant::now()));
    }

    /// Begins a transaction and takes its locks; on another connection where one has broken, since nothing was done.
    async fn begin(&self, subject: Option<Subject>) -> StoreResult<Begun> {
        let mut beginnings = 0;
        loop {
            beginnings += 1;
            match self.begin_once(subject).await {
                Err(error) if beginnings < BEGINNINGS && open::is_lost_connection(&error) => {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
                begun => return Ok(begun?),
            }
        }
    }

    async fn begin_once(&self, subject: Option<Subject>) -> Result<Begun, sqlx::Error> {
        let mut begun = self.0.writers.begin().await?;
        let user_id = match subject {
            None => {
                sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(STORE_LOCK).execute(&mut *begun).await?;
                return Ok(begun);
            }
            Some(Subject::Person(user_id)) => Some(user_id),
            Some(Subject::Order(id)) => {
                sqlx::query_scalar("SELECT user_id FROM orders WHERE id = $1")
                    .bind(id)
                    .fetch_optional(&mut *begun)
                    .await?
            }
            Some(Subject::Row) => None,
        };
        let Some(user_id) = user_id else {
            sqlx::query("SELECT pg_advisory_xact_lock_shared($1)").bind(STORE_LOCK).execute(&mut *begun).await?;
            return Ok(begun);
        };
        // Half of an id is enough: two people of one half wait for each other, and that is all.
        #[expect(clippy::cast_possible_truncation, reason = "see above")]
        let half = user_id as i32;
        sqlx::query("SELECT pg_advisory_xact_lock_shared($1), pg_advisory_xact_lock($2, $3)")
            .bind(STORE_LOCK)
            .bind(PERSON_LOCK)
            .bind(half)
            .execute(&mut *begun)
            .await?;
        Ok(begun)
    }

    /// Begins a transaction that reads, all of one moment.
    async fn read(&self) -> StoreResult<Transaction<'static, Db>> {
        Ok(self.0.readers.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?)
    }

    /// What PostgreSQL holds, its own programs back up: they do so of one moment, while workers run, and without this
    /// worker's memory.
    #[expect(clippy::unused_async, reason = "another backend writes a file here")]
    async fn back_up(&self, target: &Path) -> StoreResult<()> {
        let cause =
            "is not written by a worker: the records are in PostgreSQL, whose `pg_dump --format=custom` does it";
        Err(StoreError::Backup { path: target.to_owned(), cause: cause.to_owned() })
    }

    async fn close_connections(&self) {
        self.0.feed.stop().await;
        self.0.node.end().await;
        self.0.readers.close().await;
        self.0.writers.close().await;
    }
}

/// Tells every worker's subscribers of a commit.
struct Announcer {
    feed: Arc<Feed>,
    /// The last of the rows that were written.
    last: Option<i64>,
}

impl Announcer {
    /// Writes what is told into the transaction.
    async fn record(&mut self, write: &mut Connection, changes: &[Change]) -> StoreResult<()> {
        self.last = feed::record(write, changes).await?;
        Ok(())
    }

    /// The database knows what became of the transaction.
    fn commit_failed(&self) {}

    /// Waits until this worker's subscribers were told, and lets the others hear of it.
    async fn publish(self, _changes: Vec<Change>) {
        if let Some(last) = self.last {
            self.feed.told(last).await;
        }
    }
}
