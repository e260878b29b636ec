//! The status log.

use async_trait::async_trait;
use sqlx::FromRow;
use tokio::sync::broadcast;
use touchline_protocol::sync::{SnapshotItem, Status};

use super::{Connection, SqlStore, Subject, Write, from_text, rfc3339, to_text};
use crate::{Backlog, Change, NewStatus, Scope, StatusLine, Statuses, StoreError, StoreResult};

#[derive(FromRow)]
struct Row {
    seq: i64,
    at: i64,
    kind: String,
    id: i64,
    version: i64,
    state: String,
}

impl Row {
    fn status(self, scope: &Scope) -> StoreResult<Status> {
        Ok(Status {
            stream: scope.stream(),
            seq: self.seq.unsigned_abs(),
            at: rfc3339(self.at),
            kind: from_text(self.kind)?,
            id: self.id,
            version: self.version,
            state: serde_json::from_str(&self.state).map_err(StoreError::encoding)?,
        })
    }
}

#[async_trait]
impl Statuses for SqlStore {
    fn epoch(&self) -> String {
        self.current_epoch()
    }

    fn changes(&self) -> broadcast::Receiver<Change> {
        self.0.changes.subscribe()
    }

    async fn status_head(&self, scope: &Scope) -> StoreResult<u64> {
        let head: Option<i64> = sqlx::query_scalar("SELECT seq FROM status_heads WHERE scope = $1")
            .bind(scope.to_string())
            .fetch_optional(self.readers())
            .await?;
        Ok(head.unwrap_or(0).unsigned_abs())
    }

    async fn statuses_since(&self, scope: &Scope, seq: u64, limit: u32) -> StoreResult<Backlog> {
        let mut read = self.read().await?;
        let head = head(&mut read, scope).await?;
        let Ok(after) = i64::try_from(seq) else { return Ok(Backlog::Unavailable) };
        if after > head {
            return Ok(Backlog::Unavailable);
        }
        let rows: Vec<Row> = sqlx::query_as(
            "SELECT seq, at, kind, id, version, state FROM status_log WHERE scope = $1 AND seq > $2 ORDER BY seq LIMIT $3",
        )
        .bind(scope.to_string())
        .bind(after)
        .bind(i64::from(limit) + 1)
        .fetch_all(&mut *read)
        .await?;
        // Positions have no gaps, so the count shows whether all of them are stored.
        if rows.len() as u64 != (head - after).unsigned_abs() || rows.len() as u64 > u64::from(limit) {
            return Ok(Backlog::Unavailable);
        }
        Ok(Backlog::Complete(rows.into_iter().map(|row| row.status(scope)).collect::<StoreResult<_>>()?))
    }

    async fn status_snapshot(&self, scope: &Scope) -> StoreResult<(u64, Vec<SnapshotItem>)> {
        // A single transaction, so that the position is never later than the states.
        let mut read = self.read().await?;
        let head = head(&mut read, scope).await?;
        let rows: Vec<(String, i64, i64, String)> =
            sqlx::query_as("SELECT kind, id, version, state FROM status_latest WHERE scope = $1 ORDER BY kind, id")
                .bind(scope.to_string())
                .fetch_all(&mut *read)
                .await?;
        let items = rows.into_iter().map(|(kind, id, version, state)| {
            let state = serde_json::from_str(&state).map_err(StoreError::encoding)?;
            Ok(SnapshotItem { stream: scope.stream(), kind: from_text(kind)?, id, version, state })
        });
        Ok((head.unsigned_abs(), items.collect::<StoreResult<_>>()?))
    }

    async fn record_statuses(&self, lines: Vec<NewStatus>) -> StoreResult<()> {
        // Two lines could lock the counters of two scopes in a different order than another transaction.
        let mut write = if lines.len() > 1 { self.write().await? } else { self.write_about(Subject::Row).await? };
        for line in lines {
            record(&mut write, line).await?;
        }
        write.commit().await
    }

    async fn delete_statuses(&self, before: i64) -> StoreResult<u64> {
        let mut write = self.write_about(Subject::Row).await?;
        let done = sqlx::query("DELETE FROM status_log WHERE at < $1").bind(before).execute(&mut *write).await?;
        write.commit().await?;
        Ok(done.rows_affected())
    }
}

async fn head(read: &mut Connection, scope: &Scope) -> StoreResult<i64> {
    let head: Option<i64> = sqlx::query_scalar("SELECT seq FROM status_heads WHERE scope = $1")
        .bind(scope.to_string())
        .fetch_optional(read)
        .await?;
    Ok(head.unwrap_or(0))
}

/// Writes a line unless it isn't newer than the resource's last one.
pub(super) async fn record(write: &mut Write, line: NewStatus) -> StoreResult<()> {
    let scope = line.scope.to_string();
    let kind = to_text(&line.kind)?;
    let state = serde_json::to_string(&line.state).map_err(StoreError::encoding)?;
    let newer = sqlx::query(
        "INSERT INTO status_latest (scope, kind, id, version, state) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (scope, kind, id) DO UPDATE SET version = excluded.version, state = excluded.state
         WHERE status_latest.version < excluded.version",
    )
    .bind(&scope)
    .bind(&kind)
    .bind(line.id)
    .bind(line.version)
    .bind(&state)
    .execute(&mut **write)
    .await?;
    if newer.rows_affected() == 0 {
        return Ok(());
    }
    let seq: i64 = sqlx::query_scalar(
        "INSERT INTO status_heads (scope, seq) VALUES ($1, 1)
         ON CONFLICT (scope) DO UPDATE SET seq = status_heads.seq + 1 RETURNING seq",
    )
    .bind(&scope)
    .fetch_one(&mut **write)
    .await?;
    sqlx::query(
        "INSERT INTO status_log (scope, seq, at, kind, id, version, state) VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(&scope)
    .bind(seq)
    .bind(line.at)
    .bind(&kind)
    .bind(line.id)
    .bind(line.version)
    .bind(&state)
    .execute(&mut **write)
    .await?;
    let status = Status {
        stream: line.scope.stream(),
        seq: seq.unsigned_abs(),
        at: rfc3339(line.at),
        kind: line.kind,
        id: line.id,
        version: line.version,
        state: line.state,
    };
    write.announce(StatusLine { scope: line.scope, status });
    Ok(())
}
