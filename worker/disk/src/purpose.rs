//! Purposes of writes, and how much disk space each must leave free.

use std::fmt;

use serde::Serialize;
use utoipa::ToSchema;

/// The purpose of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Heartbeats of players in the analytics queue.
    Heartbeats,
    /// Other analytics in the queue.
    Analytics,
    /// Sales analytics in the queue.
    Sales,
    /// The queue's move to a fresh folder.
    QueueMove,
    /// Files of the lake.
    Lake,
    /// Clips.
    Clips,
    /// Recordings of broadcasts.
    Recordings,
    /// Cached media of other hosts.
    Pulled,
    /// Resized pictures.
    Pictures,
    /// Problem reports.
    Reports,
    /// Messages in the mail folder.
    Mail,
    /// Last sound states of channel folders.
    Channels,
}

impl Purpose {
    /// The name in metrics, logs and the status.
    pub fn name(self) -> &'static str {
        match self {
            Self::Heartbeats => "heartbeats",
            Self::Analytics => "analytics",
            Self::Sales => "sales",
            Self::QueueMove => "queue_move",
            Self::Lake => "lake",
            Self::Clips => "clips",
            Self::Recordings => "recordings",
            Self::Pulled => "pulled",
            Self::Pictures => "pictures",
            Self::Reports => "reports",
            Self::Mail => "mail",
            Self::Channels => "channels",
        }
    }

    /// Bytes that must remain free after the write, on a disk with `reserve` bytes for the store. Deferrable writes
    /// stop first; only the store uses the reserve.
    pub fn leaves(self, reserve: u64) -> u64 {
        let eighths = match self {
            Self::Clips | Self::Recordings | Self::Pulled | Self::Pictures | Self::Reports => 12,
            Self::Heartbeats => 10,
            Self::Analytics => 9,
            Self::Sales | Self::QueueMove | Self::Lake | Self::Mail | Self::Channels => 8,
        };
        (reserve / 8).saturating_mul(eighths)
    }
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
