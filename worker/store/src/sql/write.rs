//! Write transactions, and the announcement of their changes after the commit.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use sqlx::Transaction;

use super::{Announcer, Connection, Db, next_id};
use crate::{Change, StatusLine, StoreError, StoreResult};

/// The subject of a transaction. A backend with several writers runs transactions with different subjects concurrently.
/// A transaction without one runs alone.
#[derive(Debug, Clone, Copy)]
pub(in super::super) enum Subject {
    /// Everything it reads and writes belongs to one user.
    Person(i64),
    /// Everything it reads and writes belongs to the user of this order.
    Order(i64),
    /// Each of its statements is correct on its own, and it touches a single shared row or only deletes old ones.
    Row,
}

/// A write transaction. Dropping it without [`Write::commit`] leaves no trace.
pub(in super::super) struct Write {
    transaction: Transaction<'static, Db>,
    announcer: Announcer,
    changes: Vec<Change>,
}

impl Write {
    pub(in super::super) fn new(transaction: Transaction<'static, Db>, announcer: Announcer) -> Self {
        Self { transaction, announcer, changes: Vec::new() }
    }

    /// Adds a line to announce after the commit.
    pub(super) fn announce(&mut self, line: StatusLine) {
        self.changes.push(Change::Status(Arc::new(line)));
    }

    /// Adds keys that the commit revokes.
    pub(super) fn announce_revoked(&mut self, key_ids: Vec<i64>) {
        if !key_ids.is_empty() {
            self.changes.push(Change::KeysRevoked(key_ids.into()));
        }
    }

    /// Announces that the commit ends the tokens of a channel's visitors.
    pub(super) fn announce_visitors_ended(&mut self, channel_key: &str) {
        self.changes.push(Change::VisitorsEnded(channel_key.into()));
    }

    /// Announces that a user's access changes with the commit.
    pub(super) async fn publish_rights_changed(&mut self, user_id: i64, at: i64) -> StoreResult<()> {
        sqlx::query("UPDATE users SET rights_changed_at = $2 WHERE id = $1")
            .bind(user_id)
            .bind(at)
            .execute(&mut **self)
            .await?;
        self.changes.push(Change::RightsChanged(user_id));
        Ok(())
    }

    pub(super) async fn next_id(&mut self, table: &str) -> StoreResult<i64> {
        let id = sqlx::query_scalar(next_id!()).bind(table).fetch_optional(&mut **self).await?;
        id.ok_or(StoreError::PromotedStandby)
    }

    /// Commits, then announces. This runs in a separate task, because a caller that is dropped in between must not
    /// leave a commit unannounced.
    pub(super) async fn commit(self) -> StoreResult<()> {
        let Self { mut transaction, mut announcer, changes } = self;
        let commit = tokio::spawn(async move {
            announcer.record(&mut transaction, &changes).await?;
            if let Err(error) = transaction.commit().await {
                announcer.commit_failed();
                return Err(error.into());
            }
            announcer.publish(changes).await;
            Ok::<_, StoreError>(())
        });
        match commit.await {
            Ok(done) => done,
            Err(_) => Err(StoreError::Database(sqlx::Error::WorkerCrashed)),
        }
    }
}

impl Deref for Write {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.transaction
    }
}

impl DerefMut for Write {
    fn deref_mut(&mut self) -> &mut Connection {
        &mut self.transaction
    }
}
