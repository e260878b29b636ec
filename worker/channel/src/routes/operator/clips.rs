//! What the operator does about clips: `touchline clip list|hide|unhide` (`CLIP-8`).

use serde::{Deserialize, Serialize};
use touchline_domain::clips::ClipSource;
use touchline_protocol::clips::{Clip, ClipStatus, ClipVisibility};
use touchline_store::ClipRecord;

use crate::http::{ApiError, ApiResult, AppState};

/// A clip as an operator reads it; its owner by id alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListedClip {
    /// Its id.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// `event:3` or `vod:7`.
    pub of: String,
    /// Whose it is.
    pub user_id: i64,
    /// How far it has come.
    pub status: ClipStatus,
    /// Who may find it.
    pub visibility: ClipVisibility,
    /// Whether it is hidden.
    pub is_hidden: bool,
    /// When it was asked for, RFC 3339 UTC.
    pub created_at: String,
    /// Its page.
    pub url: String,
}

impl ListedClip {
    fn of(record: ClipRecord, site: &str) -> Self {
        let of = match record.source() {
            ClipSource::Event(id) => format!("event:{id}"),
            ClipSource::Video(id) => format!("vod:{id}"),
        };
        let Clip { id, uuid, name, status, visibility, is_hidden, created_at, .. } = record.clip;
        let url = format!("{}/share/{id}/{uuid}", site.trim_end_matches('/'));
        Self { id, name, of, user_id: record.user_id, status, visibility, is_hidden, created_at, url }
    }
}

/// The clips of a channel, newest first; the public ones alone when that is asked for.
///
/// # Errors
/// 400 for an unknown channel.
pub async fn list(state: &AppState, channel_key: &str, public_only: bool, limit: u32) -> ApiResult<Vec<ListedClip>> {
    let unknown = || ApiError::unknown(&format!("channel {channel_key}"));
    let channel = state.channels().by_key(channel_key).ok_or_else(unknown)?;
    let site = state.site_url(&channel);
    let records = state.store().channel_clips(channel_key, public_only, limit).await?;
    Ok(records.into_iter().map(|record| ListedClip::of(record, site.as_str())).collect())
}

/// Hides a clip from everyone but its owner, who sees that it is hidden; or shows it again.
///
/// # Errors
/// 400 for an unknown clip.
pub async fn hide(state: &AppState, id: i64, hidden: bool) -> ApiResult<Clip> {
    let unknown = || ApiError::unknown(&format!("clip {id}"));
    state.store().hide_clip(id, hidden, state.clock.now_ms()).await?.ok_or_else(unknown)
}
