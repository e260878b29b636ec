//! Filters (`LIST-3`), sorting and paging of events and of the library's videos. Pure: a query on a snapshot at a point
//! in time.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use touchline_protocol::catalogue::StreamStatus;
use touchline_protocol::envelope::Meta;
use touchline_protocol::limits::Limit;

use super::records::{EventRecord, VodRecord};
use super::snapshot::ChannelSnapshot;

/// Start of the archive: the default lower bound for lists of finished events (`LIST-5`), 2022-08-01 UTC.
pub(crate) const ARCHIVE_START_S: i64 = 1_659_312_000;
/// Default size of a page.
pub(crate) const DEFAULT_LIMIT: u64 = 24;
/// Largest `limit`; `no_limit` returns all items.
pub(crate) const MAX_LIMIT: u64 = 100;
pub(crate) const LIMITS: &[Limit] =
    &[Limit::count("lists.limit", MAX_LIMIT, "items", "Largest `limit` of a list. The default is 24.")];

/// Selects events. An empty list does not filter; values in one list are alternatives.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Current statuses.
    pub statuses: Vec<StreamStatus>,
    /// `male`, `female`.
    pub genders: Vec<String>,
    /// A category's `sport` or alias, or a participant's `sport`.
    pub sports: Vec<String>,
    /// Cities of the locations.
    pub cities: Vec<String>,
    /// States of the locations.
    pub states: Vec<String>,
    /// Ids or aliases of schools.
    pub groups: Vec<String>,
    /// Ids or aliases of teams.
    pub participants: Vec<String>,
    /// Ids or aliases of categories, which include their subcategories.
    pub categories: Vec<String>,
    /// Ids of packages that include the events by category.
    pub packages: Vec<i64>,
    /// Ids of locations.
    pub locations: Vec<i64>,
    /// Only these ids.
    pub ids: Option<Vec<i64>>,
    /// Earliest start, in Unix seconds.
    pub start: Option<i64>,
    /// Latest start, in Unix seconds.
    pub end: Option<i64>,
    /// Part of the name of an event, team or location.
    pub text: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum EventOrder {
    #[default]
    Start,
    Name,
    /// The price of the event alone.
    Price,
}

/// A slice of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRange {
    /// Maximum number of items; `None` for all.
    pub limit: Option<u64>,
    /// Number of skipped items.
    pub offset: u64,
}

impl PageRange {
    /// This slice of `items`, with its position.
    pub fn of<T>(self, items: Vec<T>) -> (Vec<T>, Meta) {
        let total = items.len() as u64;
        let limit = self.limit.unwrap_or(total);
        let skip = usize::try_from(self.offset).unwrap_or(usize::MAX);
        let take = usize::try_from(limit).unwrap_or(usize::MAX);
        (items.into_iter().skip(skip).take(take).collect(), Meta { total, limit, offset: self.offset })
    }
}

impl EventFilter {
    /// Matching events, sorted by start.
    pub fn apply<'a>(&self, channel: &'a ChannelSnapshot, now_s: i64) -> Vec<&'a EventRecord> {
        let text = self.text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_lowercase);
        let categories = self.category_ids(channel);
        let passes = |event: &&EventRecord| {
            self.matches_time(event, now_s)
                && any(&self.ids.iter().flatten().collect::<Vec<_>>(), |id| **id == event.id, self.ids.is_some())
                && any(&self.locations, |id| *id == event.location_id, !self.locations.is_empty())
                && (self.categories.is_empty()
                    || categories.iter().any(|&id| channel.categories.covers(id, event.event_category_id)))
                && any(
                    &self.packages,
                    |&id| channel.packages.iter().any(|package| package.id == id && channel.opens(package, event)),
                    !self.packages.is_empty(),
                )
                && self.matches_teams(channel, event)
                && self.matches_location(channel, event)
                && text.as_deref().is_none_or(|text| contains_text(channel, event, text))
        };
        channel.events.iter().filter(passes).collect()
    }

    fn matches_time(&self, event: &EventRecord, now_s: i64) -> bool {
        let status = event.status_at(now_s);
        let start = match (self.start, status) {
            (None, StreamStatus::Finished) => Some(ARCHIVE_START_S),
            (start, _) => start,
        };
        (self.statuses.is_empty() || self.statuses.contains(&status))
            && start.is_none_or(|start| event.starts_at >= start)
            && self.end.is_none_or(|end| event.starts_at <= end)
    }

    fn matches_location(&self, channel: &ChannelSnapshot, event: &EventRecord) -> bool {
        if self.cities.is_empty() && self.states.is_empty() {
            return true;
        }
        let Some(location) = channel.location(event.location_id) else { return false };
        any(&self.cities, |city| same(city, &location.city), !self.cities.is_empty())
            && any(&self.states, |state| same(state, &location.state), !self.states.is_empty())
    }

    fn matches_teams(&self, channel: &ChannelSnapshot, event: &EventRecord) -> bool {
        let teams = &event.participants;
        let has = |key: &str, value: &String| {
            teams.iter().any(|team| team.properties.get(key).is_some_and(|other| same(other, value)))
        };
        let in_sport = |sport: &String| {
            let mut line = channel.categories.line(event.event_category_id);
            has("sport", sport)
                || line.any(|id| {
                    channel.categories.get(id).is_some_and(|node| same(&node.sport, sport) || same(&node.alias, sport))
                })
        };
        let of_group = |group: &String| {
            let is = |id: i64| channel.group(id).is_some_and(|other| is_named(group, other.id, &other.alias));
            teams.iter().filter_map(|team| team.group_id).any(is)
        };
        any(&self.genders, |gender| has("gender", gender), !self.genders.is_empty())
            && any(&self.sports, in_sport, !self.sports.is_empty())
            && any(&self.groups, of_group, !self.groups.is_empty())
            && any(
                &self.participants,
                |wanted| teams.iter().any(|team| is_named(wanted, team.id, &team.alias)),
                !self.participants.is_empty(),
            )
    }

    fn category_ids(&self, channel: &ChannelSnapshot) -> Vec<i64> {
        let by_alias = |alias: &str| {
            let mut found = None;
            let mut open: Vec<_> = channel.categories.tree().iter().collect();
            while let Some(node) = open.pop() {
                if node.alias == alias {
                    found = Some(node.id);
                }
                open.extend(&node.children);
            }
            found
        };
        self.categories.iter().filter_map(|wanted| wanted.parse().ok().or_else(|| by_alias(wanted))).collect()
    }
}

impl EventOrder {
    /// Sorts events that are sorted by start.
    pub(crate) fn sort(self, events: &mut [&EventRecord], descending: bool) {
        match self {
            Self::Start => {}
            Self::Name => events.sort_by_cached_key(|event| event.name.to_lowercase()),
            Self::Price => events.sort_by_key(|event| event.base_price),
        }
        if descending {
            events.reverse();
        }
    }
}

/// The library's videos with `text` in title or description, sorted by `date` or `title`.
pub fn videos<'a>(
    channel: &'a ChannelSnapshot,
    text: &str,
    category_id: Option<i64>,
    by_title: bool,
    descending: bool,
) -> Vec<&'a VodRecord> {
    let text = text.trim().to_lowercase();
    let passes = |video: &&VodRecord| {
        category_id.is_none_or(|id| video.category_id == Some(id)) && video.title.to_lowercase().contains(&text)
    };
    let mut videos: Vec<_> = channel.vod.iter().filter(passes).collect();
    if by_title {
        videos.sort_by_cached_key(|video| video.title.to_lowercase());
    } else {
        videos.sort_by(|a, b| a.date.cmp(&b.date).then(a.id.cmp(&b.id)));
    }
    if descending {
        videos.reverse();
    }
    videos
}

/// Parses a time in a query: Unix seconds, RFC 3339, or a date (its first second in UTC, or its last with `is_end`).
pub fn moment(text: &str, is_end: bool) -> Option<i64> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<i64>() {
        return Some(seconds);
    }
    if let Ok(at) = text.parse::<Timestamp>() {
        return Some(at.as_second());
    }
    let date: Date = text.parse().ok()?;
    let start = date.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second();
    Some(if is_end { start + 86_399 } else { start })
}

fn any<T>(wanted: &[T], fits: impl Fn(&T) -> bool, is_asked: bool) -> bool {
    !is_asked || wanted.iter().any(fits)
}

fn same(a: &str, b: &str) -> bool {
    a == b || a.to_lowercase() == b.to_lowercase()
}

fn is_named(wanted: &str, id: i64, alias: &str) -> bool {
    wanted.parse() == Ok(id) || wanted == alias
}

fn contains_text(channel: &ChannelSnapshot, event: &EventRecord, text: &str) -> bool {
    let has = |values: &str| values.to_lowercase().contains(text);
    has(&event.name)
        || event.participants.iter().any(|team| has(&team.name) || has(&team.short_name))
        || channel.location(event.location_id).is_some_and(|location| has(&location.name) || has(&location.city))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::catalogue::{Channels, FolderSource, LoadOptions};
    use touchline_protocol::ambient::ManualClock;

    /// Ten minutes after the start of the small channel's event 1.
    const NOW: i64 = 1_800_000_000;

    fn channel() -> Arc<ChannelSnapshot> {
        let source = FolderSource::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/channels"));
        let options = LoadOptions { anchor_s: NOW, ..LoadOptions::default() };
        Channels::open(Arc::new(source), options, ManualClock::at_ms(NOW * 1000)).unwrap().by_key("meadow").unwrap()
    }

    fn found(filter: EventFilter) -> Vec<i64> {
        filter.apply(&channel(), NOW).into_iter().map(|event| event.id).collect()
    }

    fn filter(change: impl FnOnce(&mut EventFilter)) -> Vec<i64> {
        let mut filter = EventFilter::default();
        change(&mut filter);
        found(filter)
    }

    fn values(values: &[&str]) -> Vec<String> {
        values.iter().map(|&value| value.to_owned()).collect()
    }

    #[test]
    fn an_empty_filter_returns_the_archive_sorted_by_start() {
        assert_eq!(found(EventFilter::default()), [5, 3, 4, 1, 2]);
        assert_eq!(filter(|f| f.start = Some(0)), [6, 5, 3, 4, 1, 2]);
        assert_eq!(filter(|f| f.start = Some(ARCHIVE_START_S - 1)), [5, 3, 4, 1, 2]);
    }

    #[test]
    fn each_filter_selects_its_values() {
        use StreamStatus::{Finished, Live, Upcoming};
        assert_eq!(filter(|f| f.statuses = vec![Live]), [4, 1]);
        assert_eq!(filter(|f| f.statuses = vec![Upcoming, Finished]), [5, 3, 2]);
        assert_eq!(filter(|f| f.genders = values(&["female"])), [1]);
        assert_eq!(filter(|f| f.sports = values(&["hockey"])), [5, 2]);
        assert_eq!(filter(|f| f.sports = values(&["Basketball", "hockey"])), [5, 3, 4, 1, 2]);
        assert_eq!(filter(|f| f.cities = values(&["lakeside"])), [5, 2]);
        assert_eq!(filter(|f| f.states = values(&["MN"])), [3, 4, 1]);
        assert_eq!(filter(|f| f.cities = values(&["Meadow"])), [3, 4, 1]);
        assert_eq!(filter(|f| f.groups = values(&["lakeside"])), [5, 1, 2]);
        assert_eq!(filter(|f| f.groups = values(&["2"])), [5, 1, 2]);
        assert_eq!(filter(|f| f.participants = values(&["101"])), [1]);
        assert_eq!(filter(|f| f.participants = values(&["meadow-mens-hockey"])), [5, 2]);
        assert_eq!(filter(|f| f.categories = values(&["10"])), [3, 4, 1]);
        assert_eq!(filter(|f| f.categories = values(&["womens-basketball"])), [1]);
        assert_eq!(filter(|f| f.categories = values(&["no-such"])), [0; 0]);
        assert_eq!(filter(|f| f.locations = vec![2]), [5, 2]);
        assert_eq!(filter(|f| f.ids = Some(vec![2, 4])), [4, 2]);
        assert_eq!(filter(|f| f.ids = Some(Vec::new())), [0; 0]);
        assert_eq!(filter(|f| f.end = Some(NOW - 600)), [5, 3, 4, 1]);
        assert_eq!(filter(|f| f.text = Some(" RIVALRY ".to_owned())), [2]);
        assert_eq!(filter(|f| f.text = Some("loons".to_owned())), [5, 1, 2]);
        assert_eq!(filter(|f| f.text = Some("lake arena".to_owned())), [5, 2]);
    }

    #[test]
    fn filters_combine() {
        let both = |f: &mut EventFilter| {
            f.groups = values(&["meadow"]);
            f.statuses = vec![StreamStatus::Upcoming];
        };
        assert_eq!(filter(both), [2]);
    }

    #[test]
    fn events_sort_by_start_name_or_price_in_both_directions() {
        let channel = channel();
        let sorted = |order: EventOrder, descending| {
            let mut events = EventFilter::default().apply(&channel, NOW);
            order.sort(&mut events, descending);
            events.into_iter().map(|event| event.id).collect::<Vec<_>>()
        };
        assert_eq!(sorted(EventOrder::Start, true), [2, 1, 4, 3, 5]);
        assert_eq!(sorted(EventOrder::Name, false), [5, 1, 3, 2, 4]);
        assert_eq!(sorted(EventOrder::Price, true)[..2], [2, 1]);
    }

    #[test]
    fn a_page_reports_its_position() {
        let part = |limit, offset| PageRange { limit, offset }.of(vec![1, 2, 3]);
        assert_eq!(part(Some(2), 0), (vec![1, 2], Meta { total: 3, limit: 2, offset: 0 }));
        assert_eq!(part(Some(2), 2), (vec![3], Meta { total: 3, limit: 2, offset: 2 }));
        assert_eq!(part(None, 1), (vec![2, 3], Meta { total: 3, limit: 3, offset: 1 }));
        assert_eq!(part(Some(2), u64::MAX).0, [0; 0]);
    }

    #[test]
    fn times_are_seconds_timestamps_or_whole_days() {
        assert_eq!(moment("2022-08-01", false), Some(ARCHIVE_START_S));
        assert_eq!(moment("2022-08-01", true), Some(ARCHIVE_START_S + 86_399));
        assert_eq!(moment("2022-08-01T00:00:00Z", true), Some(ARCHIVE_START_S));
        assert_eq!(moment("1659312000", false), Some(ARCHIVE_START_S));
        assert_eq!(moment("yesterday", false), None);
    }

    #[test]
    fn videos_are_filtered_by_title_and_sorted_by_date_or_title() {
        let channel = channel();
        let ids = |text, category, by_title, descending| {
            videos(&channel, text, category, by_title, descending).iter().map(|video| video.id).collect::<Vec<_>>()
        };
        assert_eq!(ids("", None, false, true), [1, 3, 2]);
        assert_eq!(ids("", None, true, false), [3, 1, 2]);
        assert_eq!(ids(" TE", None, false, true), [1, 3]);
        assert_eq!(ids("", Some(2), false, true), [2]);
    }
}
