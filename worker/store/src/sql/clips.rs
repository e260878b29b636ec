//! Clips.

use async_trait::async_trait;
use serde_json::json;
use sqlx::FromRow;
use touchline_domain::clips::{ClipSource, address, may_be_lost, may_move};
use touchline_protocol::clips::{Clip, ClipStatus};
use touchline_protocol::event_names::CLIP_CREATED;
use touchline_protocol::sync::StatusKind;

use super::{
    SqlStore, Subject, Write, from_list, from_text, idempotency, list, rfc3339, skip_locked, statuses, to_text,
    unclaimed, viewer_events,
};
use crate::{
    ClipRecord, Clips, CreateClipResult, IdempotencyClaim, NewClip, NewStatus, PublicClips, Scope, StoreError,
    StoreResult, WaitingClip,
};

/// Columns of a [`Row`].
macro_rules! clip_columns {
    ($of:literal) => {
        columns!(
            $of,
            id,
            uuid,
            channel_key,
            user_id,
            event_id,
            vod_id,
            event_media_id,
            name,
            start_ms,
            duration_ms,
            tags,
            status,
            version,
            created_at,
            visibility,
            hidden_at
        )
    };
}

#[derive(FromRow)]
struct Row {
    id: i64,
    uuid: String,
    channel_key: String,
    user_id: i64,
    event_id: i64,
    vod_id: Option<i64>,
    event_media_id: i64,
    name: String,
    start_ms: i64,
    duration_ms: i64,
    tags: String,
    status: String,
    version: i64,
    created_at: i64,
    visibility: String,
    hidden_at: Option<i64>,
}

impl Row {
    fn record(self) -> StoreResult<ClipRecord> {
        let status: ClipStatus = from_text(self.status)?;
        let is_hidden = self.hidden_at.is_some();
        let clip = Clip {
            id: self.id,
            url: (status == ClipStatus::Ready && !is_hidden).then(|| address(&self.channel_key, &self.uuid)),
            uuid: self.uuid,
            event_id: self.vod_id.is_none().then_some(self.event_id),
            vod_id: self.vod_id,
            name: self.name,
            start_time: self.start_ms as f64 / 1000.0,
            duration: self.duration_ms as f64 / 1000.0,
            tags: from_list(&self.tags)?,
            event_media_id: self.event_media_id,
            status,
            visibility: from_text(self.visibility)?,
            is_hidden,
            created_at: rfc3339(self.created_at),
            version: self.version,
            event: None,
            video: None,
        };
        Ok(ClipRecord {
            clip,
            channel_key: self.channel_key,
            user_id: self.user_id,
            start_ms: self.start_ms,
            duration_ms: self.duration_ms,
            created_at: self.created_at,
        })
    }
}

/// The columns `event_id` and `vod_id` for a clip's source. A clip of the library has event 0.
fn columns(source: ClipSource) -> (i64, Option<i64>) {
    match source {
        ClipSource::Event(id) => (id, None),
        ClipSource::Video(id) => (0, Some(id)),
    }
}

fn records(rows: Vec<Row>) -> StoreResult<Vec<ClipRecord>> {
    rows.into_iter().map(Row::record).collect()
}

#[async_trait]
impl Clips for SqlStore {
    async fn create_clip(
        &self,
        new: NewClip,
        limit: i64,
        claim: Option<IdempotencyClaim>,
    ) -> StoreResult<CreateClipResult> {
        let mut write = self.write_about(Subject::Person(new.user_id)).await?;
        let count: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM clips WHERE user_id = $1")
            .bind(new.user_id)
            .fetch_one(&mut *write)
            .await?;
        if count >= limit {
            return Ok(CreateClipResult::TooMany);
        }
        let id = write.next_id("clips").await?;
        let (event_id, vod_id) = columns(new.source);
        sqlx::query(
            "INSERT INTO clips (id, uuid, channel_key, user_id, event_id, event_media_id, name, start_ms, duration_ms,
                tags, status, version, created_at, vod_id, visibility)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 1, $12, $13, $14)",
        )
        .bind(id)
        .bind(&new.uuid)
        .bind(&new.channel_key)
        .bind(new.user_id)
        .bind(event_id)
        .bind(new.event_media_id)
        .bind(&new.name)
        .bind(new.start_ms)
        .bind(new.duration_ms)
        .bind(list(&new.tags)?)
        .bind(to_text(&ClipStatus::Queued)?)
        .bind(new.at)
        .bind(vod_id)
        .bind(to_text(&new.visibility)?)
        .execute(&mut *write)
        .await?;
        sqlx::query("UPDATE users SET clips = clips + 1 WHERE id = $1").bind(new.user_id).execute(&mut *write).await?;
        let clip = log_status(&mut write, id, new.at).await?;
        idempotency::store_response(&mut write, claim, &clip, new.at).await?;
        let extras = json!({
            "clip_id": id.to_string(), "event_id": clip.event_id.map(|id| id.to_string()),
            "vod_id": clip.vod_id.map(|id| id.to_string()), "duration": clip.duration,
            "visibility": clip.visibility,
        });
        viewer_events::record(&mut write, new.context.as_ref(), new.user_id, CLIP_CREATED, extras).await?;
        write.commit().await?;
        Ok(CreateClipResult::Clip(Box::new(clip)))
    }

    async fn clips(&self, user_id: i64, of: Option<ClipSource>) -> StoreResult<Vec<ClipRecord>> {
        let (event_id, vod_id) = of.map(columns).unzip();
        let rows = sqlx::query_as(concat!(
            "SELECT ",
            clip_columns!(""),
            " FROM clips WHERE user_id = $1 AND event_id = COALESCE($2, event_id)
             AND COALESCE(vod_id, 0) = COALESCE($3, vod_id, 0) ORDER BY id DESC"
        ))
        .bind(user_id)
        .bind(event_id)
        .bind(vod_id.flatten())
        .fetch_all(self.readers())
        .await?;
        records(rows)
    }

    async fn public_clips(&self, channel_key: &str, which: PublicClips, limit: u32) -> StoreResult<Vec<ClipRecord>> {
        let (event_id, vod_id) = match which {
            PublicClips::Of(source) => Some(columns(source)).unzip(),
            PublicClips::All => (None, None),
        };
        let rows = sqlx::query_as(concat!(
            "SELECT ",
            clip_columns!("c."),
            " FROM clips c JOIN users u ON u.id = c.user_id
             WHERE c.channel_key = $1 AND c.visibility = 'public' AND c.status = 'ready' AND c.hidden_at IS NULL
             AND NOT u.blocked AND c.event_id = COALESCE($2, c.event_id)
             AND COALESCE(c.vod_id, 0) = COALESCE($3, c.vod_id, 0) ORDER BY c.id DESC LIMIT $4"
        ))
        .bind(channel_key)
        .bind(event_id)
        .bind(vod_id.flatten())
        .bind(i64::from(limit))
        .fetch_all(self.readers())
        .await?;
        records(rows)
    }

    async fn public_clip_event_ids(&self, channel_key: &str) -> StoreResult<Vec<i64>> {
        Ok(sqlx::query_scalar(
            "SELECT DISTINCT c.event_id FROM clips c JOIN users u ON u.id = c.user_id
             WHERE c.channel_key = $1 AND c.visibility = 'public' AND c.status = 'ready' AND c.hidden_at IS NULL
             AND NOT u.blocked AND c.vod_id IS NULL ORDER BY c.event_id",
        )
        .bind(channel_key)
        .fetch_all(self.readers())
        .await?)
    }

    async fn channel_clips(&self, channel_key: &str, public_only: bool, limit: u32) -> StoreResult<Vec<ClipRecord>> {
        let rows = sqlx::query_as(concat!(
            "SELECT ",
            clip_columns!(""),
            " FROM clips WHERE channel_key = $1 AND (visibility = 'public' OR NOT $2) ORDER BY id DESC LIMIT $3"
        ))
        .bind(channel_key)
        .bind(public_only)
        .bind(i64::from(limit))
        .fetch_all(self.readers())
        .await?;
        records(rows)
    }

    async fn hide_clip(&self, id: i64, hidden: bool, at: i64) -> StoreResult<Option<Clip>> {
        let mut write = self.write().await?;
        let row: Option<Row> = sqlx::query_as(concat!("SELECT ", clip_columns!(""), " FROM clips WHERE id = $1"))
            .bind(id)
            .fetch_optional(&mut *write)
            .await?;
        let Some(record) = row.map(Row::record).transpose()? else { return Ok(None) };
        if record.clip.is_hidden == hidden {
            return Ok(Some(record.clip));
        }
        sqlx::query("UPDATE clips SET hidden_at = $2, version = version + 1 WHERE id = $1")
            .bind(id)
            .bind(hidden.then_some(at))
            .execute(&mut *write)
            .await?;
        let clip = log_status(&mut write, id, at).await?;
        write.commit().await?;
        Ok(Some(clip))
    }

    async fn clip(&self, id: i64) -> StoreResult<Option<ClipRecord>> {
        let row: Option<Row> = sqlx::query_as(concat!("SELECT ", clip_columns!(""), " FROM clips WHERE id = $1"))
            .bind(id)
            .fetch_optional(self.readers())
            .await?;
        row.map(Row::record).transpose()
    }

    async fn waiting_clips(&self) -> StoreResult<Vec<WaitingClip>> {
        let mut claiming = self.claiming().await?;
        let node = claiming.node();
        let rows: Vec<(i64, i64)> = sqlx::query_as(concat!(
            "SELECT c.id, c.user_id FROM clips c WHERE c.status IN ('queued', 'processing') AND ",
            unclaimed!("'clip/' || c.id", "$1"),
            " ORDER BY c.id LIMIT $2",
            skip_locked!("c")
        ))
        .bind(node)
        .bind(super::MAX_CLAIMED_CLIPS)
        .fetch_all(claiming.connection())
        .await?;
        let rows = claiming.take(rows, |(id, _)| format!("clip/{id}")).await?;
        Ok(rows.into_iter().map(|(id, user_id)| WaitingClip { id, user_id }).collect())
    }

    async fn ready_clips(&self, after: i64, limit: u32) -> StoreResult<Vec<ClipRecord>> {
        let rows = sqlx::query_as(concat!(
            "SELECT ",
            clip_columns!(""),
            " FROM clips WHERE status = 'ready' AND id > $1 ORDER BY id LIMIT $2"
        ))
        .bind(after)
        .bind(i64::from(limit))
        .fetch_all(self.readers())
        .await?;
        records(rows)
    }

    async fn clip_source(&self, channel_key: &str, uuid: &str) -> StoreResult<Option<ClipSource>> {
        let row: Option<(i64, Option<i64>)> = sqlx::query_as(
            "SELECT c.event_id, c.vod_id FROM clips c JOIN users u ON u.id = c.user_id
             WHERE c.channel_key = $1 AND c.uuid = $2 AND c.hidden_at IS NULL AND NOT u.blocked",
        )
        .bind(channel_key)
        .bind(uuid)
        .fetch_optional(self.readers())
        .await?;
        Ok(row.map(|(event_id, vod_id)| vod_id.map_or(ClipSource::Event(event_id), ClipSource::Video)))
    }

    async fn advance_clip(&self, id: i64, to: ClipStatus, at: i64) -> StoreResult<Option<Clip>> {
        change(self.write().await?, id, to, |from| may_move(from, to), at).await
    }

    async fn mark_clip_lost(&self, id: i64, at: i64) -> StoreResult<Option<Clip>> {
        change(self.write().await?, id, ClipStatus::Failed, may_be_lost, at).await
    }

    async fn delete_clip(&self, user_id: i64, id: i64) -> StoreResult<Option<ClipRecord>> {
        let mut write = self.write_about(Subject::Person(user_id)).await?;
        let row: Option<Row> =
            sqlx::query_as(concat!("SELECT ", clip_columns!(""), " FROM clips WHERE id = $1 AND user_id = $2"))
                .bind(id)
                .bind(user_id)
                .fetch_optional(&mut *write)
                .await?;
        let Some(record) = row.map(Row::record).transpose()? else { return Ok(None) };
        sqlx::query("DELETE FROM clips WHERE id = $1").bind(id).execute(&mut *write).await?;
        // Neither a snapshot nor a backlog may contain the deleted clip. A backlog with a gap becomes a snapshot.
        for statement in [
            "DELETE FROM status_latest WHERE scope = $1 AND kind = 'clip' AND id = $2",
            "DELETE FROM status_log WHERE scope = $1 AND kind = 'clip' AND id = $2",
        ] {
            sqlx::query(statement).bind(Scope::User(user_id).to_string()).bind(id).execute(&mut *write).await?;
        }
        write.commit().await?;
        Ok(Some(record))
    }

    async fn clip_uuids(&self, channel_key: &str) -> StoreResult<Vec<String>> {
        Ok(sqlx::query_scalar("SELECT uuid FROM clips WHERE channel_key = $1")
            .bind(channel_key)
            .fetch_all(self.readers())
            .await?)
    }

    async fn clip_event_ids(&self, user_id: i64) -> StoreResult<Vec<i64>> {
        Ok(sqlx::query_scalar(
            "SELECT DISTINCT event_id FROM clips WHERE user_id = $1 AND vod_id IS NULL ORDER BY event_id",
        )
        .bind(user_id)
        .fetch_all(self.readers())
        .await?)
    }
}

/// Changes a clip's status if the transition is allowed, and logs it. `None` if it isn't, or the clip doesn't exist.
async fn change(
    mut write: Write,
    id: i64,
    to: ClipStatus,
    may_move: impl Fn(ClipStatus) -> bool,
    at: i64,
) -> StoreResult<Option<Clip>> {
    let from: Option<String> =
        sqlx::query_scalar("SELECT status FROM clips WHERE id = $1").bind(id).fetch_optional(&mut *write).await?;
    if !from.map(from_text).transpose()?.is_some_and(may_move) {
        return Ok(None);
    }
    sqlx::query("UPDATE clips SET status = $2, version = version + 1 WHERE id = $1")
        .bind(id)
        .bind(to_text(&to)?)
        .execute(&mut *write)
        .await?;
    let clip = log_status(&mut write, id, at).await?;
    write.commit().await?;
    Ok(Some(clip))
}

/// Writes a clip's line to the status log, and returns the clip.
async fn log_status(write: &mut Write, id: i64, at: i64) -> StoreResult<Clip> {
    let row: Row = sqlx::query_as(concat!("SELECT ", clip_columns!(""), " FROM clips WHERE id = $1"))
        .bind(id)
        .fetch_one(&mut **write)
        .await?;
    let ClipRecord { clip, user_id, .. } = row.record()?;
    let line = NewStatus {
        scope: Scope::User(user_id),
        kind: StatusKind::Clip,
        id,
        version: clip.version,
        state: serde_json::to_value(&clip).map_err(StoreError::encoding)?,
        at,
    };
    statuses::record(write, line).await?;
    Ok(clip)
}
