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
