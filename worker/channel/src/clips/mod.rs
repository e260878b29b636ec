//! Clips that viewers cut out of recordings (`CLIP`). A call requests a clip, a background task cuts it, and its files
//! outlive the recording.
//!
//! | module | content |
//! |---|---|
//! | `job` | selects the segments of a clip |
//! | `storage` | the folder of clips |
//! | [`worker`] | processes the queue |
//!
//! A clip's address contains its uuid, 122 random bits that only the owner receives. Anyone with the link can watch as
//! long as the clip exists. The address therefore never expires and is stored unsigned in the status log.

pub(crate) mod job;
pub(crate) mod storage;
pub mod worker;

pub(crate) use storage::ClipStorage;

use touchline_store::{ClipRecord, Store, StoreResult};

/// The clip behind a shared link, unless the operator hid it or blocked its owner (`CLIP-3`, `CLIP-8`).
///
/// # Errors
/// Fails when the store cannot be read.
pub async fn shared(store: &dyn Store, channel_key: &str, id: i64, uuid: &str) -> StoreResult<Option<ClipRecord>> {
    let found = store.clip(id).await?;
    let is_shared =
        |record: &ClipRecord| record.clip.uuid == uuid && record.channel_key == channel_key && !record.clip.is_hidden;
    let Some(record) = found.filter(is_shared) else { return Ok(None) };
    let owner = store.user(record.user_id).await?;
    Ok(owner.is_some_and(|owner| !owner.blocked).then_some(record))
}
