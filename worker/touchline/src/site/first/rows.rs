//! The schedule: its tabs and controls, and the first rows of its first day, as in `Events.tsx`, `EventsByDay.tsx` and
//! `FixtureRow.tsx`. Days and times depend on the viewer's clock, so they get empty space.

use touchline_channel::catalogue::EventRecord;
use touchline_protocol::catalogue::StreamStatus;
use touchline_protocol::isolated::isolated;

use super::cards::{heading, score};
use super::names::{name, title_of};
use super::offers::{Slot, offer_button, price_text};
use super::pictures::sides;
use super::{Canvas, icons};
use crate::pages::escaped;
use crate::site::texts::local_time;

const MAX_ROWS: usize = 8;
const DAY_S: i64 = 86_400;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tab {
    All,
    Of(StreamStatus),
}

impl Tab {
    pub(super) fn of(segment: &str) -> Option<Self> {
        Some(match segment {
            "schedule" => Self::All,
            "live" => Self::Of(StreamStatus::Live),
            "upcoming" => Self::Of(StreamStatus::Upcoming),
            "vod" => Self::Of(StreamStatus::Finished),
            _ => return None,
        })
    }
}

impl Canvas<'_> {
    /// The page of a tab. Only the site filters a list.
    pub(super) fn schedule(&self, tab: Tab, is_narrowed: bool) -> String {
        let (context, texts) = (self.context, self.context.texts());
        let title = escaped(context.schedule_title());
        let rest = if is_narrowed {
            String::new()
        } else {
            let strip = if tab == Tab::Of(StreamStatus::Live) { String::new() } else { self.day_strip() };
            self.tabs(tab) + &self.controls() + &strip + &self.list(tab)
        };
        format!(
            "<div class=\"wrap events\"><div class=\"events__head\"><h1 class=\"type-page\">{title}</h1>\
             <span class=\"hide-scores\" aria-hidden=\"true\">{}<span class=\"hide-scores__track\"></span></span></div>\
             {rest}</div>",
            escaped(texts.hide_scores)
        )
    }

    fn tabs(&self, tab: Tab) -> String {
        let texts = self.context.texts();
        let tabs: String = [
            (Tab::All, "/schedule", texts.all),
            (Tab::Of(StreamStatus::Live), "/live", texts.live),
            (Tab::Of(StreamStatus::Upcoming), "/upcoming", texts.upcoming),
            (Tab::Of(StreamStatus::Finished), "/vod", texts.on_demand),
        ]
        .iter()
        .map(|(target, to, label)| {
            let current = if *target == tab { " aria-current=\"page\"" } else { "" };
            format!("<a class=\"tabs__tab\" href=\"{to}\"{current}>{}</a>", escaped(label))
        })
        .collect();
        format!("<nav class=\"tabs\">{tabs}</nav>")
    }

    fn controls(&self) -> String {
        let texts = self.context.texts();
        let filters: String = [texts.gender, texts.sport, texts.city, texts.state]
            .iter()
            .map(|label| {
                format!(
                    "<div class=\"filter\"><span class=\"filter__label\">{}</span><span class=\"filter__value\">{}</span>{}</div>",
                    escaped(label),
                    escaped(texts.all),
                    icons::small(icons::DOWN)
                )
            })
            .collect();
        format!(
            "<div class=\"events__bar\" aria-hidden=\"true\"><div class=\"filter-bar\"><div class=\"filter-bar__row\">{filters}\
             </div><div class=\"filter-bar__compact\"><span class=\"filter\">{}{}</span></div></div>\
             <div class=\"view-switch\"><span class=\"view-switch__view\" aria-pressed=\"true\">{}{}</span>\
             <span class=\"view-switch__view\">{}{}</span></div></div>",
            icons::small(icons::FILTERS),
            escaped(texts.filters),
            icons::small(icons::ROWS),
            escaped(texts.rows),
            icons::small(icons::CARDS),
            escaped(texts.cards),
        )
    }

    /// Space for the days around today, which depend on the viewer's clock.
    fn day_strip(&self) -> String {
        let day = "<li><span class=\"day-strip__day day-strip__day--none\"><span class=\"day-strip__name\">&nbsp;</span>\
                   <b class=\"day-strip__number\">&nbsp;</b><span class=\"day-strip__count\">&nbsp;</span></span></li>";
        let step = |path| format!("<span class=\"button button--quiet button--alone\">{}</span>", icons::medium(path));
        format!(
            "<div class=\"day-strip\" aria-hidden=\"true\">{}<ol class=\"day-strip__days\">{}</ol>{}\
             <span class=\"button button--quiet day-strip__today\">{}</span><span class=\"day-strip__jump\">{}</span></div>",
            step(icons::BACK),
            day.repeat(7),
            step(icons::ON),
            escaped(self.context.texts().today),
            icons::medium(icons::CALENDAR),
        )
    }

    fn list(&self, tab: Tab) -> String {
        match tab {
            Tab::Of(status) => self.by_day(&self.events_of(status), MAX_ROWS),
            Tab::All => {
                let live = self.events_of(StreamStatus::Live);
                let room = MAX_ROWS.saturating_sub(live.len());
                let unblocked = self.unblocked(&live);
                let head = if live.is_empty() { String::new() } else { self.live_now(&unblocked, live.len()) };
                // Whether an event that finished within a day was today depends on the viewer's clock.
                let since = self.context.now_s - DAY_S;
                let is_certain = self.events_of(StreamStatus::Finished).iter().all(|event| event.starts_at < since);
                if unblocked.len() < live.len() || room == 0 || !is_certain {
                    return head;
                }
                let upcoming = self.by_day(&self.events_of(StreamStatus::Upcoming), room);
                let has_earlier = self.context.channel.events.iter().any(|event| event.starts_at < since);
                let earlier = if has_earlier { "<p class=\"events__earlier\"></p>" } else { "" };
                format!("{head}{earlier}{upcoming}")
            }
        }
    }

    fn live_now(&self, unblocked: &[&EventRecord], total: usize) -> String {
        let texts = self.context.texts();
        let rows: String = unblocked.iter().take(MAX_ROWS).map(|event| self.row(event, true)).collect();
        let name = heading(texts.live_now, &texts.count(total), None);
        format!("<section class=\"events__live\">{name}<ul class=\"events__live-rows\">{rows}</ul></section>")
    }

    fn by_day(&self, events: &[&EventRecord], max: usize) -> String {
        let unblocked = self.unblocked(events);
        if unblocked.is_empty() {
            return String::new();
        }
        let texts = self.context.texts();
        let [time, event, venue, starts, price] =
            [texts.time, texts.event, texts.venue, texts.starts, texts.price].map(escaped);
        format!(
            "<div class=\"events-by-day\"><div class=\"events-by-day__columns type-label\" aria-hidden=\"true\">\
             <span>{time}</span><span></span><span>{event}</span><span>{venue}</span><span>{starts}</span>\
             <span class=\"events-by-day__price\">{price}</span></div><section class=\"events-by-day__day\">{}</section></div>",
            self.first_day(&unblocked[..unblocked.len().min(max)], "h2", true)
        )
    }

    /// The events on the day of the first one, in its time zone.
    pub(super) fn first_day(&self, events: &[&EventRecord], level: &str, has_columns: bool) -> String {
        let Some(first) = events.first() else { return String::new() };
        let day = |event: &EventRecord| local_time(event.starts_at, &first.time_zone).date();
        let rows = events.iter().take_while(|event| day(event) == day(first)).map(|event| self.row(event, has_columns));
        format!(
            "<div class=\"day-heading\" aria-hidden=\"true\"><{level} class=\"day-heading__name\">&nbsp;</{level}>\
             <span class=\"muted type-meta\">&nbsp;</span></div><ul>{}</ul>",
            rows.collect::<String>()
        )
    }

    fn row(&self, record: &EventRecord, has_columns: bool) -> String {
        let (context, id) = (self.context, record.id);
        let event = context.channel.event_for_visitors(record, context.now_s);
        let crests: String = sides(record).iter().map(|team| self.crest(team)).collect();
        let columns = if has_columns { self.columns(record, event.stream_status) } else { String::new() };
        format!(
            "<li class=\"fixture-row{shape}\"><span class=\"fixture-row__time figures\">&nbsp;<small>&nbsp;</small></span>\
             <div class=\"fixture-row__crests\">{crests}</div><div class=\"fixture-row__what\"><a class=\"fixture-row__name\" \
             href=\"/watch/{id}\">{title}</a><p class=\"fixture-row__meta\">{kind}</p>{score}</div>{columns}\
             <div class=\"fixture-row__go\"><span class=\"figures\">{price}</span>{button}</div></li>",
            shape = if has_columns { " fixture-row--columns" } else { "" },
            title = title_of(record).0,
            kind = escaped(&context.event_kind(record)),
            score = score(&event),
            price = escaped(&price_text(context, record)),
            button = offer_button(context, record, Slot::Row),
        )
    }

    fn columns(&self, record: &EventRecord, status: StreamStatus) -> String {
        let (venue, location) = match self.context.channel.location(record.location_id) {
            Some(at) => (name(&at.name), name(&format!("{} {}", isolated(&at.city), at.state))),
            None => (String::new(), String::new()),
        };
        let starts = if status == StreamStatus::Live { self.context.texts().live } else { "" };
        format!("<p class=\"fixture-row__where\">{venue}<br>{location}</p><p class=\"fixture-row__start\">{starts}</p>")
    }
}
