//! What a write is for, and how much of the disk it must leave.

use std::fmt;

use serde::Serialize;
use utoipa::ToSchema;

/// What a write is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Heartbeats of players, into the analytics queue.
    Heartbeats,
    /// Other analytics, into the queue.
    Analytics,
    /// Analytics of sales, into the queue.
    Sales,
    /// The queue's move to a fresh folder.
    QueueMove,
    /// Files of the lake.
    Lake,
    /// Clips.
    Clips,
    /// Recordings of broadcasts.
    Recordings,
    /// Media of other hosts, for a while.
    Pulled,
    /// Pictures in the sizes that are shown.
    Pictures,
    /// Problem reports.
    Reports,
    /// Letters into the mail folder.
    Mail,
}

impl Purpose {
    /// Its name in metrics, logs and the status.
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
        }
    }

    /// Bytes that must be free after it was written, of a disk whose store has `reserve` to itself. What can wait stops
    /// first; nothing but the store uses the reserve.
    pub fn leaves(self, reserve: u64) -> u64 {
        let eighths = match self {
            Self::Clips | Self::Recordings | Self::Pulled | Self::Pictures | Self::Reports => 12,
            Self::Heartbeats => 10,
            Self::Analytics => 9,
            Self::Sales | Self::QueueMove | Self::Lake | Self::Mail => 8,
        };
        (reserve / 8).saturating_mul(eighths)
    }
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
