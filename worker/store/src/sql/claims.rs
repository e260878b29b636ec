//! Claims on jobs, each of which is done by one worker.
//!
//! Due jobs are found and claimed in the same transaction. A backend with a single worker claims nothing.

use std::collections::HashSet;

use sqlx::Transaction;

use super::{Connection, Db, SqlStore, claim_jobs};
use crate::StoreResult;

/// A transaction that finds and claims jobs.
pub(in super::super) struct Claiming {
    transaction: Transaction<'static, Db>,
    node: String,
}

impl Claiming {
    pub(in super::super) fn new(transaction: Transaction<'static, Db>, node: String) -> Self {
        Self { transaction, node }
    }

    pub(super) fn connection(&mut self) -> &mut Connection {
        &mut self.transaction
    }

    pub(super) fn node(&self) -> String {
        self.node.clone()
    }

    /// Claims the jobs that were found, and returns those for this worker. `job` returns the name of each.
    pub(super) async fn take<T>(mut self, due: Vec<T>, job: impl Fn(&T) -> String) -> StoreResult<Vec<T>> {
        let jobs: Vec<String> = due.iter().map(&job).collect();
        let ours: HashSet<String> = claim_jobs(&mut self.transaction, &self.node, jobs).await?;
        self.transaction.commit().await?;
        Ok(due.into_iter().filter(|item| ours.contains(&job(item))).collect())
    }
}

/// Whether this worker holds an exclusive job.
pub(super) async fn holds_job(store: &SqlStore, job: &str) -> StoreResult<bool> {
    if let Some(is_ours) = store.cached_holder(job) {
        return Ok(is_ours);
    }
    let ours = store.claiming().await?.take(vec![job], |job| (*job).to_owned()).await?;
    store.cache_holder(job, !ours.is_empty());
    Ok(!ours.is_empty())
}
