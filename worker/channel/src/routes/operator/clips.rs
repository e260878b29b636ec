//! Operator commands for clips: `touchline clip list|hide|unhide` (`CLIP-8`).

use serde::{Deserialize, Serialize};
use touchline_domain::clips::ClipSource;
use touchline_protocol::clips::{Clip, ClipStatus, ClipVisibility};
use touchline_store::ClipRecord;

use crate::http::{ApiError, ApiResult, AppState};

/// A clip for an operator, with its owner's id only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListedClip {
    /// The clip's id.
    pub id: i64,
    /// The clip's name.
    pub name: String,
    /// `event:3` or `vod:7`.
    pub of: String,
    /// The owner's id.
    pub user_id: i64,
    /// Progress of the clip.
    pub status: ClipStatus,
    /// Visibility to others.
    pub visibility: ClipVisibility,
    /// Whether the operator hid it.
    pub is_hidden: bool,
    /// Time of the request, RFC 3339 in UTC.
    pub created_at: String,
    /// URL of the clip's page.
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

/// A channel's clips, newest first, or only its public ones.
///
/// # Errors
/// Fails with 400 for an unknown channel.
pub async fn list(state: &AppState, channel_key: &str, public_only: bool, limit: u32) -> ApiResult<Vec<ListedClip>> {
    let unknown = || ApiError::unknown(&format!("channel {channel_key}"));
    let channel = state.channels().by_key(channel_key).ok_or_else(unknown)?;
    let site = state.site_url(&channel);
    let records = state.store().channel_clips(channel_key, public_only, limit).await?;
    Ok(records.into_iter().map(|record| ListedClip::of(record, site.as_str())).collect())
}

/// Hides a clip from everyone but its owner, who sees that it is hidden, or shows it again.
///
/// # Errors
/// Fails with 400 for an unknown clip.
pub async fn hide(state: &AppState, id: i64, hidden: bool) -> ApiResult<Clip> {
    let unknown = || ApiError::unknown(&format!("clip {id}"));
    state.store().hide_clip(id, hidden, state.clock.now_ms()).await?.ok_or_else(unknown)
}
