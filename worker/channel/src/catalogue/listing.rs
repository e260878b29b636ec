//! Filters (`LIST-3`), sorting and paging of events and of the library's videos. Pure: a query over a snapshot at a moment.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use touchline_protocol::catalogue::StreamStatus;
use touchline_protocol::envelope::Meta;
use touchline_protocol::limits::Limit;

use super::records::{EventRecord, VodRecord};
use super::snapshot::ChannelSnapshot;

/// The archive's start: the default lower bound of listings of finished events (`LIST-5`), 2022-08-01 UTC.
pub const ARCHIVE_START_S: i64 = 1_659_312_000;
/// How many items a list gives when nothing is said.
pub const DEFAULT_LIMIT: u64 = 24;
/// The most items that `limit` gives; `no_limit` gives all.
pub const MAX_LIMIT: u64 = 100;
/// The rows of the limits table.
pub(crate) const LIMITS: &[Limit] =
    &[Limit::count("lists.limit", MAX_LIMIT, "items", "The most that `limit` of a list gives; without one it is 24.")];

/// Which events, in which order. An empty list is no filter; several values in one are alternatives.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Where they stand.
    pub statuses: Vec<StreamStatus>,
    /// `male`, `female`.
    pub genders: Vec<String>,
    /// Categories' `sport` or alias, or a participant's `sport`.
    pub sports: Vec<String>,
    /// Of the place.
    pub cities: Vec<String>,
    /// Of the place.
    pub states: Vec<String>,
    /// Ids or aliases of schools.
    pub groups: Vec<String>,
    /// Ids or aliases of teams.
    pub participants: Vec<String>,
    /// Ids or aliases of categories; they cover what is below them.
    pub categories: Vec<String>,
    /// Packages that open them by their category.
    pub packages: Vec<i64>,
    /// Places.
    pub locations: Vec<i64>,
    /// These alone.
    pub ids: Option<Vec<i64>>,
    /// From this start on, Unix seconds.
    pub start: Option<i64>,
    /// Up to this start, Unix seconds.
    pub end: Option<i64>,
    /// Part of a name, of a team's or of a place's.
    pub text: Option<String>,
}

/// What events are sorted by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EventOrder {
    /// Their start.
    #[default]
    Start,
    /// Their name.
    Name,
    /// Their price when bought singly.
    Price,
}

/// Which part of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// At most so many; `None` for all.
    pub limit: Option<u64>,
    /// Leaving out so many.
    pub offset: u64,
}

impl Part {
    /// This part of `items`, and where it stands.
    pub fn of<T>(self, items: Vec<T>) -> (Vec<T>, Meta) {
        let total = items.len() as u64;
        let limit = self.limit.unwrap_or(total);
        let skip = usize::try_from(self.offset).unwrap_or(usize::MAX);
        let take = usize::try_from(limit).unwrap_or(usize::MAX);
        (items.into_iter().skip(skip).take(take).collect(), Meta { total, limit, offset: self.offset })
    }
}

impl EventFilter {
    /// The events that pass, in the order of their start.
    pub fn apply<'a>(&self, channel: &'a ChannelSnapshot, now_s: i64) -> Vec<&'a EventRecord> {
        let text = self.text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_lowercase);
        let categories = self.category_ids(channel);
        let passes = |event: &&EventRecord| {
            self.passes_time(event, now_s)
                && any(&self.ids.iter().flatten().collect::<Vec<_>>(), |id| **id == event.id, self.ids.is_some())
                && any(&self.locations, |id| *id == event.location_id, !self.locations.is_empty())
                && (self.categories.is_empty()
                    || categories.iter().any(|&id| channel.categories.covers(id, event.event_category_id)))
                && any(
                    &self.packages,
                    |&id| channel.packages.iter().any(|package| package.id == id && channel.opens(package, event)),
                    !self.packages.is_empty(),
                )
                && self.passes_teams(channel, event)
                && self.passes_place(channel, event)
                && text.as_deref().is_none_or(|text| says(channel, event, text))
        };
        channel.events.iter().filter(passes).collect()
    }

    fn passes_time(&self, event: &EventRecord, now_s: i64) -> bool {
        let status = event.status_at(now_s);
        let start = match (self.start, status) {
            (None, StreamStatus::Finished) => Some(ARCHIVE_START_S),
            (start, _) => start,
        };
        (self.statuses.is_empty() || self.statuses.contains(&status))
            && start.is_none_or(|start| event.starts_at >= start)
            && self.end.is_none_or(|end| event.starts_at <= end)
    }

    fn passes_place(&self, channel: &ChannelSnapshot, event: &EventRecord) -> bool {
        if self.cities.is_empty() && self.states.is_empty() {
            return true;
        }
        let Some(place) = channel.location(event.location_id) else { return false };
        any(&self.cities, |city| same(city, &place.city), !self.cities.is_empty())
            && any(&self.states, |state| same(state, &place.state), !self.states.is_empty())
    }

    fn passes_teams(&self, channel: &ChannelSnapshot, event: &EventRecord) -> bool {
        let teams = &event.participants;
        let has = |key: &str, value: &String| {
            teams.iter().any(|team| team.properties.get(key).is_some_and(|own| same(own, value)))
        };
        let in_sport = |sport: &String| {
            let mut line = channel.categories.line(event.event_category_id);
            has("sport", sport)
                || line.any(|id| {
                    channel.categories.get(id).is_some_and(|node| same(&node.sport, sport) || same(&node.alias, sport))
                })
        };
        let of_group = |group: &String| {
            let is = |id: i64| channel.group(id).is_some_and(|own| names(group, own.id, &own.alias));
            teams.iter().filter_map(|team| team.group_id).any(is)
        };
        any(&self.genders, |gender| has("gender", gender), !self.genders.is_empty())
            && any(&self.sports, in_sport, !self.sports.is_empty())
            && any(&self.groups, of_group, !self.groups.is_empty())
            && any(
                &self.participants,
                |wanted| teams.iter().any(|team| names(wanted, team.id, &team.alias)),
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
    /// Puts events that are in the order of their start into this one.
    pub fn sort(self, events: &mut [&EventRecord], descending: bool) {
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

/// The library's videos whose title or description has `text`, sorted by `date` or `title`.
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

/// A moment in a query: Unix seconds, RFC 3339, or a date (its first second UTC; its last with `is_end`).
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

fn names(wanted: &str, id: i64, alias: &str) -> bool {
    wanted.parse() == Ok(id) || wanted == alias
}

fn says(channel: &ChannelSnapshot, event: &EventRecord, text: &str) -> bool {
    let has = |words: &str| words.to_lowercase().contains(text);
    has(&event.name)
        || event.participants.iter().any(|team| has(&team.name) || has(&team.short_name))
        || channel.location(event.location_id).is_some_and(|place| has(&place.name) || has(&place.city))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::catalogue::{Channels, FolderSource, LoadOptions};
    use touchline_protocol::ambient::ManualClock;

    /// When the small channel's event 1 is ten minutes old.
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

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn without_a_filter_everything_since_the_archives_start_comes_in_the_order_of_its_start() {
        assert_eq!(found(EventFilter::default()), [5, 3, 4, 1, 2]);
        assert_eq!(filter(|f| f.start = Some(0)), [6, 5, 3, 4, 1, 2]);
        assert_eq!(filter(|f| f.start = Some(ARCHIVE_START_S - 1)), [5, 3, 4, 1, 2]);
    }

    #[test]
    fn each_filter_keeps_what_it_names() {
        use StreamStatus::{Finished, Live, Upcoming};
        assert_eq!(filter(|f| f.statuses = vec![Live]), [4, 1]);
        assert_eq!(filter(|f| f.statuses = vec![Upcoming, Finished]), [5, 3, 2]);
        assert_eq!(filter(|f| f.genders = words(&["female"])), [1]);
        assert_eq!(filter(|f| f.sports = words(&["hockey"])), [5, 2]);
        assert_eq!(filter(|f| f.sports = words(&["Basketball", "hockey"])), [5, 3, 4, 1, 2]);
        assert_eq!(filter(|f| f.cities = words(&["lakeside"])), [5, 2]);
        assert_eq!(filter(|f| f.states = words(&["MN"])), [3, 4, 1]);
        assert_eq!(filter(|f| f.cities = words(&["Meadow"])), [3, 4, 1]);
        assert_eq!(filter(|f| f.groups = words(&["lakeside"])), [5, 1, 2]);
        assert_eq!(filter(|f| f.groups = words(&["2"])), [5, 1, 2]);
        assert_eq!(filter(|f| f.participants = words(&["101"])), [1]);
        assert_eq!(filter(|f| f.participants = words(&["meadow-mens-hockey"])), [5, 2]);
        assert_eq!(filter(|f| f.categories = words(&["10"])), [3, 4, 1]);
        assert_eq!(filter(|f| f.categories = words(&["womens-basketball"])), [1]);
        assert_eq!(filter(|f| f.categories = words(&["no-such"])), [0; 0]);
        assert_eq!(filter(|f| f.locations = vec![2]), [5, 2]);
        assert_eq!(filter(|f| f.ids = Some(vec![2, 4])), [4, 2]);
        assert_eq!(filter(|f| f.ids = Some(Vec::new())), [0; 0]);
        assert_eq!(filter(|f| f.end = Some(NOW - 600)), [5, 3, 4, 1]);
        assert_eq!(filter(|f| f.text = Some(" RIVALRY ".to_owned())), [2]);
        assert_eq!(filter(|f| f.text = Some("loons".to_owned())), [5, 1, 2]);
        assert_eq!(filter(|f| f.text = Some("lake arena".to_owned())), [5, 2]);
    }

    #[test]
    fn filters_hold_together() {
        let both = |f: &mut EventFilter| {
            f.groups = words(&["meadow"]);
            f.statuses = vec![StreamStatus::Upcoming];
        };
        assert_eq!(filter(both), [2]);
    }

    #[test]
    fn sorting_is_by_start_name_or_price_either_way() {
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
    fn a_part_says_where_it_stands() {
        let part = |limit, offset| Part { limit, offset }.of(vec![1, 2, 3]);
        assert_eq!(part(Some(2), 0), (vec![1, 2], Meta { total: 3, limit: 2, offset: 0 }));
        assert_eq!(part(Some(2), 2), (vec![3], Meta { total: 3, limit: 2, offset: 2 }));
        assert_eq!(part(None, 1), (vec![2, 3], Meta { total: 3, limit: 3, offset: 1 }));
        assert_eq!(part(Some(2), u64::MAX).0, [0; 0]);
    }

    #[test]
    fn moments_are_seconds_times_or_whole_days() {
        assert_eq!(moment("2022-08-01", false), Some(ARCHIVE_START_S));
        assert_eq!(moment("2022-08-01", true), Some(ARCHIVE_START_S + 86_399));
        assert_eq!(moment("2022-08-01T00:00:00Z", true), Some(ARCHIVE_START_S));
        assert_eq!(moment("1659312000", false), Some(ARCHIVE_START_S));
        assert_eq!(moment("yesterday", false), None);
    }

    #[test]
    fn videos_are_found_by_title_and_sorted_by_date_or_title() {
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
