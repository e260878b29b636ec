//! Jobs that are to be done, each by one worker.
//!
//! What is due is looked for in a transaction that also claims it. A backend with one worker claims nothing.

use std::collections::HashSet;

use sqlx::Transaction;

use super::{Connection, Db, SqlStore, claim_jobs};
use crate::StoreResult;

/// A transaction in which jobs are looked for and claimed.
pub(in super::super) struct Claiming {
    transaction: Transaction<'static, Db>,
    node: String,
}

impl Claiming {
    pub(in super::super) fn begun(transaction: Transaction<'static, Db>, node: String) -> Self {
        Self { transaction, node }
    }

    /// Where to look.
    pub(super) fn connection(&mut self) -> &mut Connection {
        &mut self.transaction
    }

    /// Who claims.
    pub(super) fn node(&self) -> String {
        self.node.clone()
    }

    /// Claims what was found; gives what is this worker's to do. `job` names each.
    pub(super) async fn take<T>(mut self, found: Vec<T>, job: impl Fn(&T) -> String) -> StoreResult<Vec<T>> {
        let jobs: Vec<String> = found.iter().map(&job).collect();
        let ours: HashSet<String> = claim_jobs(&mut self.transaction, &self.node, jobs).await?;
        self.transaction.commit().await?;
        Ok(found.into_iter().filter(|one| ours.contains(&job(one))).collect())
    }
}

/// Whether this worker is the one that does a job of which there is one.
pub(super) async fn takes_turn(store: &SqlStore, job: &str) -> StoreResult<bool> {
    if let Some(is_ours) = store.known_turn(job) {
        return Ok(is_ours);
    }
    let ours = store.claiming().await?.take(vec![job], |job| (*job).to_owned()).await?;
    store.note_turn(job, !ours.is_empty());
    Ok(!ours.is_empty())
}
