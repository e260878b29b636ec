//! The lake's tables, and the priorities of events when space is short.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A table of the lake: one for each endpoint that accepts events, and those that the worker fills itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Table {
    /// Started browser sessions.
    Session,
    /// Page views, visits, purchases.
    Event,
    /// Actions of players.
    VideoEvent,
    /// Heartbeats of videos being watched.
    VideoViewing,
    /// Quality reports of players, defined by CTA-5004-B.
    Cmcd,
    /// Playback quality, one row per viewing, derived from the reports.
    Viewing,
    /// Changes of orders, from the books.
    OrderEvent,
    /// Changes of subscriptions, from the books.
    SubscriptionEvent,
    /// The packages that a channel sells.
    PackageDim,
    /// The subscriptions that a channel sells.
    SubscriptionDim,
    /// The events of a channel.
    EventDim,
    /// The teams of a channel.
    TeamDim,
    /// Events of viewers without consent, counted by day and channel.
    EventCount,
}

impl Table {
    /// Every table, in the order of their tags.
    pub const ALL: [Self; 13] = [
        Self::Session,
        Self::Event,
        Self::VideoEvent,
        Self::VideoViewing,
        Self::Cmcd,
        Self::Viewing,
        Self::OrderEvent,
        Self::SubscriptionEvent,
        Self::PackageDim,
        Self::SubscriptionDim,
        Self::EventDim,
        Self::TeamDim,
        Self::EventCount,
    ];
    pub(crate) const COUNT: usize = Self::ALL.len();

    /// The table's name in the lake.
    pub fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Event => "event",
            Self::VideoEvent => "video_event",
            Self::VideoViewing => "video_viewing",
            Self::Cmcd => "cmcd",
            Self::Viewing => "viewing",
            Self::OrderEvent => "order_event",
            Self::SubscriptionEvent => "subscription_event",
            Self::PackageDim => "package_dim",
            Self::SubscriptionDim => "subscription_dim",
            Self::EventDim => "event_dim",
            Self::TeamDim => "team_dim",
            Self::EventCount => "event_count",
        }
    }

    /// The path under which an HTTP sink receives its rows. For a table that browsers fill, it is also the endpoint.
    pub fn path(self) -> &'static str {
        match self {
            Self::Session => "/datalake/session/",
            Self::Event => "/datalake/event/",
            Self::VideoEvent => "/datalake/video/event/",
            Self::VideoViewing => "/datalake/video/viewing/",
            Self::Cmcd => "/datalake/cmcd/",
            Self::Viewing => "/datalake/viewing/",
            Self::EventCount => "/datalake/count/",
            // These go to lakes only.
            Self::OrderEvent | Self::SubscriptionEvent => "",
            Self::PackageDim | Self::SubscriptionDim | Self::EventDim | Self::TeamDim => "",
        }
    }

    /// Whether browsers fill it. The other tables are filled by the worker alone.
    pub fn is_sent_by_browsers(self) -> bool {
        match self {
            Self::Session | Self::Event | Self::VideoEvent | Self::VideoViewing | Self::Cmcd => true,
            Self::EventCount => true,
            Self::Viewing => false,
            books => !books.is_of_books(),
        }
    }

    /// The tables of the books and the catalogue.
    pub fn of_books() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|table| table.is_of_books())
    }

    pub(crate) fn sent_by_browsers() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|table| table.is_sent_by_browsers())
    }

    /// Whether it belongs to the books or the catalogue. The worker writes it, for lakes only.
    pub fn is_of_books(self) -> bool {
        matches!(self, Self::OrderEvent | Self::SubscriptionEvent) || self.is_dimension()
    }

    /// Whether only lakes receive it, because no endpoint of an HTTP sink accepts it.
    pub(crate) fn is_of_lakes(self) -> bool {
        self.is_of_books() || self == Self::EventCount
    }

    /// Whether it is a dimension: rows with names and prices, of which the newest counts.
    pub(crate) fn is_dimension(self) -> bool {
        matches!(self, Self::PackageDim | Self::SubscriptionDim | Self::EventDim | Self::TeamDim)
    }

    /// The table that an endpoint fills. The trailing slash may be missing.
    pub fn of_path(path: &str) -> Option<Self> {
        let path = path.trim_end_matches('/');
        Self::sent_by_browsers().find(|table| table.path().trim_end_matches('/') == path)
    }

    /// Looks up a table by name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.name() == name)
    }

    /// Its byte in the queue's keys, which is its index in [`Table::ALL`].
    pub(crate) fn tag(self) -> u8 {
        match self {
            Self::Session => 0,
            Self::Event => 1,
            Self::VideoEvent => 2,
            Self::VideoViewing => 3,
            Self::Cmcd => 4,
            Self::Viewing => 5,
            Self::OrderEvent => 6,
            Self::SubscriptionEvent => 7,
            Self::PackageDim => 8,
            Self::SubscriptionDim => 9,
            Self::EventDim => 10,
            Self::TeamDim => 11,
            Self::EventCount => 12,
        }
    }

    pub(crate) fn index(self) -> usize {
        usize::from(self.tag())
    }

    pub(crate) fn of_tag(tag: u8) -> Option<Self> {
        Self::ALL.get(usize::from(tag)).copied()
    }
}

/// Events of a lower priority are refused first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Priority {
    Heartbeat,
    Ordinary,
    Purchase,
}

impl Priority {
    /// A purchase is recognised by its name: `purchase`, `purchase_failed`, `refund` and the like.
    pub(crate) fn of(table: Table, event: Option<&str>) -> Self {
        match (table, event) {
            (Table::VideoViewing | Table::Cmcd, _) => Self::Heartbeat,
            (Table::Event, Some(name)) if name.starts_with("purchase") || name.starts_with("refund") => Self::Purchase,
            _ => Self::Ordinary,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_found_by_its_path_with_or_without_a_trailing_slash_and_by_its_tag() {
        for table in Table::ALL {
            let sent = table.is_sent_by_browsers().then_some(table);
            assert_eq!(Table::of_path(table.path()), sent);
            assert_eq!(Table::of_path(table.path().trim_end_matches('/')), sent);
            assert_eq!(Table::of_tag(table.tag()), Some(table));
            assert_eq!(Table::of_name(table.name()), Some(table));
            assert_eq!(Table::ALL[table.index()], table);
        }
        for none in ["/datalake/video/", "/datalake/order_event/", "order_event", ""] {
            assert_eq!(Table::of_path(none), None, "{none}");
        }
        assert_eq!(Table::of_tag(u8::try_from(Table::COUNT).unwrap()), None);
    }

    #[test]
    fn heartbeats_have_the_lowest_priority_and_purchases_the_highest() {
        let heartbeat = Priority::of(Table::VideoViewing, None);
        let session = Priority::of(Table::Session, None);
        let purchase = Priority::of(Table::Event, Some("purchase"));
        assert!(heartbeat < session && session < purchase);
        assert_eq!(Priority::of(Table::Event, Some("page_view")), Priority::Ordinary);
    }
}
