//! The lake's tables, and which events give way first when room is short.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A table of the lake: one for each call that carries events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Table {
    /// Browsers that began a session.
    Session,
    /// Page views, visits, purchases.
    Event,
    /// What players did.
    VideoEvent,
    /// Heartbeats of videos being watched.
    VideoViewing,
}

impl Table {
    /// Every table, in the order of their tags.
    pub const ALL: [Self; 4] = [Self::Session, Self::Event, Self::VideoEvent, Self::VideoViewing];

    /// The table's name in the lake.
    pub fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Event => "event",
            Self::VideoEvent => "video_event",
            Self::VideoViewing => "video_viewing",
        }
    }

    /// The call that fills it.
    pub fn path(self) -> &'static str {
        match self {
            Self::Session => "/datalake/session/",
            Self::Event => "/datalake/event/",
            Self::VideoEvent => "/datalake/video/event/",
            Self::VideoViewing => "/datalake/video/viewing/",
        }
    }

    /// The table that a call fills; the last slash may be missing.
    pub fn of_path(path: &str) -> Option<Self> {
        let path = path.trim_end_matches('/');
        Self::ALL.into_iter().find(|table| table.path().trim_end_matches('/') == path)
    }

    /// The table of that name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.name() == name)
    }

    /// Its byte in the queue's keys, which is its place in [`Table::ALL`].
    pub(crate) fn tag(self) -> u8 {
        match self {
            Self::Session => 0,
            Self::Event => 1,
            Self::VideoEvent => 2,
            Self::VideoViewing => 3,
        }
    }

    pub(crate) fn index(self) -> usize {
        usize::from(self.tag())
    }

    pub(crate) fn of_tag(tag: u8) -> Option<Self> {
        Self::ALL.get(usize::from(tag)).copied()
    }
}

/// Which events give way first: heartbeats, then everything else, purchases last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Priority {
    Heartbeat,
    Ordinary,
    Purchase,
}

impl Priority {
    /// An event is a purchase by its name: `purchase`, `purchase_failed`, `refund` and the like.
    pub(crate) fn of(table: Table, event: Option<&str>) -> Self {
        match (table, event) {
            (Table::VideoViewing, _) => Self::Heartbeat,
            (Table::Event, Some(name)) if name.starts_with("purchase") || name.starts_with("refund") => Self::Purchase,
            _ => Self::Ordinary,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_found_by_its_path_with_and_without_the_last_slash_and_by_its_tag() {
        for table in Table::ALL {
            assert_eq!(Table::of_path(table.path()), Some(table));
            assert_eq!(Table::of_path(table.path().trim_end_matches('/')), Some(table));
            assert_eq!(Table::of_tag(table.tag()), Some(table));
            assert_eq!(Table::of_name(table.name()), Some(table));
            assert_eq!(Table::ALL[table.index()], table);
        }
        assert_eq!(Table::of_path("/datalake/video/"), None);
        assert_eq!(Table::of_tag(4), None);
    }

    #[test]
    fn heartbeats_give_way_before_sessions_and_sessions_before_purchases() {
        let heartbeat = Priority::of(Table::VideoViewing, None);
        let session = Priority::of(Table::Session, None);
        let purchase = Priority::of(Table::Event, Some("purchase"));
        assert!(heartbeat < session && session < purchase);
        assert_eq!(Priority::of(Table::Event, Some("page_view")), Priority::Ordinary);
    }
}
