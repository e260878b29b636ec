//! What a channel shows: a folder of JSON and media, checked whole, kept in memory, reloaded when it changes.
//!
//! | module | what |
//! |---|---|
//! | [`read`] | from files to a [`ChannelSnapshot`], or every fault of them |
//! | [`records`], [`snapshot`] | what is kept |
//! | `elsewhere` | the same, of a channel whose API is elsewhere |
//! | [`channels`] | every channel, by key and host; reload |
//! | [`status_ticker`] | statuses that move by the clock, and who is told |
//! | [`presenter`] | what a viewer gets: records with access, status and signed URLs |
//! | [`response_cache`] | answers that are the same for many, made once |
//! | [`search`] | the words of a load, and what they find |
//! | [`listing`] | filters, sorting and paging of events and videos |

pub mod channels;
mod elsewhere;
pub mod fault;
pub mod hosts;
pub mod listing;
pub mod presenter;
pub mod read;
pub mod records;
pub mod response_cache;
pub mod search;
pub mod snapshot;
pub mod status_ticker;

pub use crate::source::{ChannelSource, FolderSource, SourceFile};
pub use channels::Channels;
pub use fault::{ChannelsError, Fault, Faults};
pub use read::{Advised, LoadOptions, check, snapshots};
pub use records::{ChannelConfig, DemoAccount, EventRecord, MediaHosts, Screenshot};
pub use response_cache::ResponseCache;
pub use snapshot::ChannelSnapshot;
pub use status_ticker::{StatusEmitter, StatusMove};
