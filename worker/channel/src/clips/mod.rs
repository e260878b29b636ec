//! Clips that viewers cut out of recordings (`CLIP`): asked for by a call, cut behind it, kept as files of their own, so
//! that they stay when the recording goes.
//!
//! | module | what |
//! |---|---|
//! | [`job`] | which segments of a recording make up a clip |
//! | [`storage`] | the folder in which clips are kept |
//! | [`worker`] | takes clips off the queue |
//!
//! A clip's address holds its uuid, 122 random bits that its owner alone is told: whoever is given the link may watch,
//! for as long as the clip is there. So the address stands in the status log as it is and never expires.

pub mod job;
pub mod storage;
pub mod worker;

pub use storage::ClipStorage;

use touchline_store::{ClipRecord, Store, StoreResult};

/// The clip that whoever has the link of this id and uuid may watch, unless the operator hid it or blocked its owner
/// (`CLIP-3`, `CLIP-8`).
///
/// # Errors
/// When the store cannot be read.
pub async fn shared(store: &dyn Store, channel_key: &str, id: i64, uuid: &str) -> StoreResult<Option<ClipRecord>> {
    let found = store.clip(id).await?;
    let is_shared =
        |record: &ClipRecord| record.clip.uuid == uuid && record.channel_key == channel_key && !record.clip.is_hidden;
    let Some(record) = found.filter(is_shared) else { return Ok(None) };
    let owner = store.user(record.user_id).await?;
    Ok(owner.is_some_and(|owner| !owner.blocked).then_some(record))
}
