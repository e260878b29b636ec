//! A transaction that writes, and what is told when it is on disk.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use sqlx::Transaction;

use super::{Announcer, Connection, Db, next_id};
use crate::{Change, StatusLine, StoreError, StoreResult};

/// Whom a transaction is about that needs nobody else to stand still meanwhile. A backend with several writers runs such
/// transactions beside those about others; whatever has no subject runs alone.
#[derive(Debug, Clone, Copy)]
pub(in super::super) enum Subject {
    /// All that it reads, decides by and writes is of one person.
    Person(i64),
    /// The same, of the person of this order.
    Order(i64),
    /// Each of its statements is right by itself, and it touches one row that others touch.
    Row,
}

/// A transaction that writes. Dropped without [`Write::commit`], it leaves no trace.
pub(in super::super) struct Write {
    transaction: Transaction<'static, Db>,
    announcer: Announcer,
    to_send: Vec<Change>,
}

impl Write {
    pub(in super::super) fn begun(transaction: Transaction<'static, Db>, announcer: Announcer) -> Self {
        Self { transaction, announcer, to_send: Vec::new() }
    }

    /// A line that is told after the commit.
    pub(super) fn tell(&mut self, line: StatusLine) {
        self.to_send.push(Change::Status(Arc::new(line)));
    }

    /// Keys that stop working with the commit.
    pub(super) fn tell_revoked(&mut self, key_ids: Vec<i64>) {
        if !key_ids.is_empty() {
            self.to_send.push(Change::KeysRevoked(key_ids.into()));
        }
    }

    /// What a person may watch changes with the commit.
    pub(super) async fn publish_rights_changed(&mut self, user_id: i64, at: i64) -> StoreResult<()> {
        sqlx::query("UPDATE users SET rights_changed_at = $2 WHERE id = $1")
            .bind(user_id)
            .bind(at)
            .execute(&mut **self)
            .await?;
        self.to_send.push(Change::RightsChanged(user_id));
        Ok(())
    }

    /// A new id of a table.
    pub(super) async fn next_id(&mut self, table: &str) -> StoreResult<i64> {
        Ok(sqlx::query_scalar(next_id!()).bind(table).fetch_one(&mut **self).await?)
    }

    /// Puts it on disk, then tells. A task of its own does so, since a caller that goes away in between must not leave
    /// something on disk that nobody was told of.
    pub(super) async fn commit(self) -> StoreResult<()> {
        let Self { mut transaction, mut announcer, to_send } = self;
        let commit = tokio::spawn(async move {
            announcer.record(&mut transaction, &to_send).await?;
            if let Err(error) = transaction.commit().await {
                announcer.commit_failed();
                return Err(error.into());
            }
            announcer.publish(to_send).await;
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
