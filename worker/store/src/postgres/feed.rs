//! The feed of changes committed by any worker, and the notifications between workers.
//!
//! A transaction writes a row of `changes` for each of its changes. It does this last, while it holds the counter of
//! the status's scope, so the ids of a scope's rows are in commit order. Ids of different scopes may become visible in
//! any order. A gap is checked again until every transaction that could fill it has ended.
//!
//! A worker reads after its own commits, when another worker wakes it, and every second. It wakes the others at most
//! every 20 ms by a separate notification, because a notification in each transaction makes PostgreSQL serialise their
//! commits.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use sqlx::postgres::PgListener;
use sqlx::{FromRow, PgPool};
use tokio::sync::{Notify, broadcast};
use tokio::task::JoinSet;
use tokio::time::Instant;
use touchline_protocol::sync::{Scope, Status};

use super::open::database_identity;
use super::{Connection, open};
use crate::{Change, StatusLine, StoreError, StoreResult};

const CHANNEL: &str = "touchline_changes";
/// Minimum interval between two notifications.
const NOTIFY_INTERVAL: Duration = Duration::from_millis(20);
/// Polling interval without notifications.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
const BATCH_SIZE: i64 = 2_000;
/// Lifetime of rows.
const ROW_LIFETIME: Duration = Duration::from_secs(600);
/// A worker that couldn't read for this long may have missed deleted rows.
const MISSED_AFTER: Duration = Duration::from_secs(300);
/// Maximum wait of a commit for the delivery of its own changes.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(super) struct Feed {
    cursor: Mutex<Cursor>,
    /// The epoch of the delivered positions.
    epoch: Mutex<String>,
    /// Signals a local commit.
    read: Notify,
    /// Signals that the other workers should be notified.
    notify: Notify,
    /// Signals delivered rows.
    progress: Notify,
    changes: broadcast::Sender<Change>,
    work: tokio::sync::Mutex<JoinSet<()>>,
}

/// Delivery progress of the feed.
#[derive(Debug)]
struct Cursor {
    /// Every row up to this id was delivered or will never exist.
    complete_until: i64,
    /// Delivered rows beyond that.
    delivered_after: BTreeSet<i64>,
    /// Gaps up to the first id are permanent once all transactions before the second have ended. The end of a snapshot
    /// can't be the second: it is after the newest transaction that ended, and a newer one may be in progress.
    closing_gap: Option<(i64, i64)>,
    read_at: Instant,
}

impl Cursor {
    /// Starts after the newest row. Missing rows before it may be in progress, and are delivered when they appear.
    async fn newest(pool: &PgPool) -> StoreResult<Self> {
        let newest: Vec<i64> =
            sqlx::query_scalar("SELECT id FROM changes ORDER BY id DESC LIMIT 1000").fetch_all(pool).await?;
        let delivered_after: BTreeSet<i64> = newest.into_iter().collect();
        let complete_until = delivered_after.first().map_or(0, |first| first - 1);
        Ok(Self { complete_until, delivered_after, closing_gap: None, read_at: Instant::now() })
    }

    fn is_delivered(&self, id: i64) -> bool {
        id <= self.complete_until || self.delivered_after.contains(&id)
    }

    /// Advances over complete ranges and permanent gaps. `oldest` is the oldest running transaction at the time of
    /// reading. Returns the last id behind a gap that has no end yet.
    fn close_gaps(&mut self, oldest: i64) -> Option<i64> {
        if let Some((until, before)) = self.closing_gap
            && oldest >= before
        {
            self.complete_until = self.complete_until.max(until);
            self.closing_gap = None;
        }
        while let Some(&first) = self.delivered_after.first() {
            if first > self.complete_until + 1 {
                break;
            }
            self.delivered_after.pop_first();
            self.complete_until = self.complete_until.max(first);
        }
        if self.closing_gap.is_some() { None } else { self.delivered_after.last().copied() }
    }
}

#[derive(FromRow)]
struct Row {
    change_id: i64,
    change_kind: String,
    scope: String,
    seq: i64,
    ids: String,
    at: Option<i64>,
    kind: Option<String>,
    id: Option<i64>,
    version: Option<i64>,
    state: Option<String>,
}

impl Row {
    /// `None` if the status line was deleted meanwhile, because its user was erased.
    fn change(self) -> StoreResult<Option<Change>> {
        let ids = || serde_json::from_str::<Vec<i64>>(&self.ids).map_err(StoreError::encoding);
        Ok(match self.change_kind.as_str() {
            "keys" => Some(Change::KeysRevoked(ids()?.into())),
            "visitors" => Some(Change::VisitorsEnded(self.scope.into())),
            "rights" => ids()?.first().copied().map(Change::RightsChanged),
            _ => {
                let (Some(at), Some(kind), Some(id), Some(version), Some(state)) =
                    (self.at, self.kind, self.id, self.version, self.state)
                else {
                    return Ok(None);
                };
                let scope: Scope = self.scope.parse().map_err(StoreError::encoding)?;
                let status = Status {
                    stream: scope.stream(),
                    seq: self.seq.unsigned_abs(),
                    at: touchline_protocol::time::rfc3339(at),
                    kind: super::sql::from_text(kind)?,
                    id,
                    version,
                    state: serde_json::from_str(&state).map_err(StoreError::encoding)?,
                };
                Some(Change::Status(Arc::new(StatusLine { scope, status })))
            }
        })
    }
}

/// Writes a row for each change and returns the id of the last one.
pub(super) async fn record(write: &mut Connection, changes: &[Change]) -> StoreResult<Option<i64>> {
    if changes.is_empty() {
        return Ok(None);
    }
    let (mut kinds, mut scopes, mut seqs, mut lists) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for change in changes {
        let (kind, scope, seq, ids) = match change {
            Change::Status(line) => {
                let seq = i64::try_from(line.status.seq).map_err(StoreError::encoding)?;
                ("status", line.scope.to_string(), seq, Vec::new())
            }
            Change::KeysRevoked(ids) => ("keys", String::new(), 0, ids.to_vec()),
            Change::VisitorsEnded(channel_key) => ("visitors", channel_key.to_string(), 0, Vec::new()),
            Change::RightsChanged(user_id) => ("rights", String::new(), 0, vec![*user_id]),
            // Sent by the feed only.
            Change::Missed => continue,
        };
        kinds.push(kind);
        scopes.push(scope);
        seqs.push(seq);
        lists.push(serde_json::to_string(&ids).map_err(StoreError::encoding)?);
    }
    let ids: Vec<i64> = sqlx::query_scalar(
        "INSERT INTO changes (kind, scope, seq, ids)
         SELECT * FROM UNNEST($1::text[], $2::text[], $3::bigint[], $4::text[]) RETURNING id",
    )
    .bind(kinds)
    .bind(scopes)
    .bind(seqs)
    .bind(lists)
    .fetch_all(write)
    .await?;
    Ok(ids.into_iter().max())
}

impl Feed {
    /// Starts at the current end. `node` distinguishes this worker's notifications from others'.
    pub(super) async fn start(
        pool: PgPool,
        changes: broadcast::Sender<Change>,
        node: String,
    ) -> StoreResult<Arc<Self>> {
        let epoch = open::epoch(&pool).await?;
        let feed = Arc::new(Self {
            cursor: Mutex::new(Cursor::newest(&pool).await?),
            epoch: Mutex::new(epoch),
            read: Notify::new(),
            notify: Notify::new(),
            progress: Notify::new(),
            changes,
            work: tokio::sync::Mutex::default(),
        });
        let mut work = feed.work.lock().await;
        work.spawn(Arc::clone(&feed).read_all(pool.clone()));
        work.spawn(Arc::clone(&feed).listen(pool.clone(), node.clone()));
        work.spawn(Arc::clone(&feed).notify_others(pool.clone(), node));
        work.spawn(delete_old_rows(pool));
        drop(work);
        Ok(feed)
    }

    pub(super) fn epoch(&self) -> String {
        self.epoch.lock().clone()
    }

    /// Handles tables that moved, because a standby took over and may lack delivered changes. All workers switch to the
    /// same new epoch, and clients start again.
    async fn restart(&self, pool: &PgPool) -> StoreResult<()> {
        let epoch = open::epoch(pool).await?;
        let newest = Cursor::newest(pool).await?;
        tracing::warn!("the database was replaced by a copy; restarting the status positions");
        *self.epoch.lock() = epoch;
        *self.cursor.lock() = newest;
        let _ = self.changes.send(Change::Missed);
        self.progress.notify_waiters();
        Ok(())
    }

    pub(super) async fn stop(&self) {
        self.work.lock().await.shutdown().await;
    }

    /// Waits until a row was delivered locally, and wakes the other workers.
    pub(super) async fn wait_delivered(&self, id: i64) {
        self.notify.notify_one();
        let delivered = async {
            loop {
                let progress = self.progress.notified();
                tokio::pin!(progress);
                progress.as_mut().enable();
                if self.cursor.lock().is_delivered(id) {
                    return;
                }
                self.read.notify_one();
                progress.await;
            }
        };
        // The change is on disk. A caller that would wait longer gets its response now, and the change later.
        let _ = tokio::time::timeout(DELIVERY_TIMEOUT, delivered).await;
    }

    async fn read_all(self: Arc<Self>, pool: PgPool) {
        loop {
            match self.read_once(&pool).await {
                Ok(true) => {}
                Ok(false) => {
                    let _ = tokio::time::timeout(POLL_INTERVAL, self.read.notified()).await;
                }
                Err(error) => {
                    tracing::debug!(%error, "could not read the changes of other workers");
                    tokio::time::sleep(Duration::from_millis(200)).await;
                }
            }
        }
    }

    /// Delivers new changes. Returns whether there may be more.
    async fn read_once(&self, pool: &PgPool) -> StoreResult<bool> {
        let (after, exclude) = {
            let cursor = self.cursor.lock();
            (cursor.complete_until, cursor.delivered_after.iter().copied().collect::<Vec<_>>())
        };
        let mut read = pool.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?;
        let (oldest, epoch, is_same_database): (i64, String, bool) = sqlx::query_as(concat!(
            "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint,
                (SELECT value FROM remembered WHERE name = 'epoch'),
                (SELECT value FROM remembered WHERE name = 'place') = ",
            database_identity!()
        ))
        .fetch_one(&mut *read)
        .await?;
        if !is_same_database || epoch != self.epoch() {
            read.commit().await?;
            self.restart(pool).await?;
            return Ok(true);
        }
        let rows: Vec<Row> = sqlx::query_as(
            "SELECT c.id AS change_id, c.kind AS change_kind, c.scope, c.seq, c.ids, l.at, l.kind, l.id, l.version, l.state
             FROM changes c LEFT JOIN status_log l ON c.kind = 'status' AND l.scope = c.scope AND l.seq = c.seq
             WHERE c.id > $1 AND c.id <> ALL($2) ORDER BY c.id LIMIT $3",
        )
        .bind(after)
        .bind(exclude)
        .bind(BATCH_SIZE)
        .fetch_all(&mut *read)
        .await?;
        read.commit().await?;
        let is_more = rows.len() as i64 == BATCH_SIZE;
        if let Some(last) = self.deliver(rows, (!is_more).then_some(oldest)) {
            // A new transaction's number is above all that could fill the gap.
            let before = sqlx::query_scalar("SELECT pg_current_xact_id()::text::bigint").fetch_one(pool).await?;
            self.cursor.lock().closing_gap = Some((last, before));
        }
        Ok(is_more)
    }

    /// Sends the rows to the subscribers. `oldest` is the oldest running transaction, if these are all rows. Returns the
    /// last id behind a gap that has no end yet.
    fn deliver(&self, rows: Vec<Row>, oldest: Option<i64>) -> Option<i64> {
        let mut delivered = Vec::with_capacity(rows.len());
        for row in rows {
            let id = row.change_id;
            let change = row.change().unwrap_or_else(|error| {
                tracing::error!(%error, id, "could not deliver a change");
                None
            });
            delivered.push((id, change));
        }
        let mut cursor = self.cursor.lock();
        if cursor.read_at.elapsed() > MISSED_AFTER {
            let _ = self.changes.send(Change::Missed);
        }
        cursor.read_at = Instant::now();
        for (id, change) in delivered {
            cursor.delivered_after.insert(id);
            if let Some(change) = change {
                // Fails if there are no subscribers, which is harmless.
                let _ = self.changes.send(change);
            }
        }
        let last = oldest.and_then(|oldest| cursor.close_gaps(oldest));
        drop(cursor);
        self.progress.notify_waiters();
        last
    }

    async fn listen(self: Arc<Self>, pool: PgPool, node: String) {
        loop {
            let listening = async {
                let mut listener = PgListener::connect_with(&pool).await?;
                listener.listen(CHANNEL).await?;
                loop {
                    if listener.recv().await?.payload() != node {
                        self.read.notify_one();
                    }
                }
                #[expect(unreachable_code, reason = "gives the block its error type")]
                Ok::<(), sqlx::Error>(())
            };
            if let Err(error) = listening.await {
                tracing::debug!(%error, "could not listen for other workers");
            }
            // The feed polls every second while it is not listening.
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    async fn notify_others(self: Arc<Self>, pool: PgPool, node: String) {
        loop {
            self.notify.notified().await;
            let result = sqlx::query("SELECT pg_notify($1, $2)").bind(CHANNEL).bind(&node).execute(&pool).await;
            if let Err(error) = result {
                tracing::debug!(%error, "could not notify the other workers");
            }
            tokio::time::sleep(NOTIFY_INTERVAL).await;
        }
    }
}

/// Deletes old rows every minute.
async fn delete_old_rows(pool: PgPool) {
    loop {
        tokio::time::sleep(Duration::from_secs(60)).await;
        let result = sqlx::query("DELETE FROM changes WHERE at < clock_timestamp() - make_interval(secs => $1)")
            .bind(ROW_LIFETIME.as_secs_f64())
            .execute(&pool)
            .await;
        if let Err(error) = result {
            tracing::debug!(%error, "could not delete old changes");
        }
    }
}
