//! The content of a channel: a folder of JSON and media, validated, cached in memory, reloaded when it changes.
//!
//! | module | content |
//! |---|---|
//! | [`read`] | reads files into a [`ChannelSnapshot`], or reports every fault |
//! | [`records`], `snapshot` | the data model |
//! | `external` | the same for a channel of another API |
//! | [`channels`] | all channels, by key and host; reload |
//! | `status_ticker` | status changes by the clock, and their announcement |
//! | `presenter` | a viewer's data: records with access, status and signed URLs |
//! | `sound_states` | the last sound state of each folder, for a start with a faulty one |
//! | `response_cache` | responses that many viewers share |
//! | `search` | the index of a load, and its queries |
//! | [`listing`] | filters, sorting and paging of events and videos |

pub mod channels;
mod external;
pub mod fault;
pub mod hosts;
pub mod listing;
pub(crate) mod presenter;
pub mod read;
pub mod records;
pub(crate) mod response_cache;
pub(crate) mod search;
pub(crate) mod snapshot;
pub(crate) mod sound_states;
pub(crate) mod status_ticker;

pub use crate::source::{ChannelSource, FolderSource, SourceFile};
pub use channels::{Channels, FaultyChannel, HostOwners};
pub use fault::{ChannelsError, Fault};
pub use read::{ChannelAdvice, LoadOptions, check, snapshots};
pub use records::{EventRecord, MediaHosts, Screenshot};
pub(crate) use response_cache::ResponseCache;
pub use snapshot::ChannelSnapshot;
pub use sound_states::SoundStates;
pub(crate) use status_ticker::{StatusChange, StatusEmitter};
