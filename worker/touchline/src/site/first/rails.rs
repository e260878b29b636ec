//! The first rail of the home page and the first rails of the library, as in `HomeRails.tsx` and `Library.tsx`.

use touchline_channel::catalogue::EventRecord;
use touchline_channel::catalogue::listing::EventFilter;
use touchline_channel::catalogue::records::RailRecord;
use touchline_protocol::catalogue::StreamStatus;

use super::cards::{UPCOMING_LINE, badge, heading, rail};
use super::names::title_of;
use super::offers::{Slot, offer_button};
use super::{Canvas, Part, Photograph, icons};
use crate::pages::escaped;

const MAX_CARDS: usize = 5;
const MAX_RAILS: usize = 2;
/// Events in rows next to the next event.
const MAX_ROWS: usize = 6;

impl<'a> Canvas<'a> {
    /// The first rail of the home page that has events.
    pub(super) fn first_rail(&self) -> String {
        let texts = self.context.texts();
        let statuses = [StreamStatus::Live, StreamStatus::Upcoming, StreamStatus::Finished];
        let found =
            statuses.into_iter().map(|status| (status, self.events_of(status))).find(|(_, all)| !all.is_empty());
        let Some((status, events)) = found else { return String::new() };
        let unblocked = self.unblocked(&events);
        let section = match (status, unblocked.split_first()) {
            (StreamStatus::Upcoming, None) => String::new(),
            (StreamStatus::Upcoming, Some((next, others))) => {
                let more = Some(("/upcoming", texts.full_schedule));
                let rows = self.first_day(&others[..others.len().min(MAX_ROWS)], "h3", false);
                let name = heading(texts.upcoming, "", more);
                let next = self.next_up(next);
                format!(
                    "<section class=\"section\" aria-labelledby=\"upcoming\">{name}<div class=\"home__next\">{next}<div>\
                     {rows}</div></div></section>"
                )
            }
            (status, _) => {
                let (title, count, more) = if status == StreamStatus::Live {
                    (texts.live_now, texts.count(events.len()), ("/live", texts.all_live))
                } else {
                    (texts.on_demand, String::new(), ("/vod", texts.all_on_demand))
                };
                let cards = unblocked.iter().take(MAX_CARDS).map(|event| self.event_card(event));
                format!("<section class=\"section\">{}{}</section>", heading(title, &count, Some(more)), rail(cards))
            }
        };
        format!("<div class=\"wrap\"><div class=\"home__rails\">{section}</div></div>")
    }

    /// Events with this status, in list order: finished ones are newest first.
    pub(super) fn events_of(&self, status: StreamStatus) -> Vec<&'a EventRecord> {
        let filter = EventFilter { statuses: vec![status], ..EventFilter::default() };
        let mut events = filter.apply(self.context.channel, self.context.now_s);
        if status == StreamStatus::Finished {
            events.reverse();
        }
        events
    }

    /// The events before the first one that is blocked in the visitor's country. A blocked event must not be in the
    /// page (`FOUND-4`), and the events after it would shift.
    pub(super) fn unblocked(&self, events: &[&'a EventRecord]) -> Vec<&'a EventRecord> {
        events.iter().copied().take_while(|event| !self.context.is_closed(event)).collect()
    }

    /// The next event, large, as in `NextUp.tsx`.
    fn next_up(&self, record: &EventRecord) -> String {
        let context = self.context;
        let event = context.channel.event_for_visitors(record, context.now_s);
        let badge = badge("top-left", "ink", context.texts().next_up);
        format!(
            "<article class=\"next-up\">{poster}{UPCOMING_LINE}<div class=\"next-up__body\"><div><h3 class=\"next-up__name\">\
             <a href=\"/watch/{id}\">{title}</a></h3><p class=\"muted next-up__when\">{kind}<br>&nbsp;</p></div>\
             <div><div class=\"countdown countdown--tone figures\" aria-hidden=\"true\">{cells}</div></div>\
             <div class=\"next-up__act\">{button}<span class=\"button button--second button--alone\" aria-hidden=\"true\">\
             {calendar}</span></div></div></article>",
            poster = self.event_picture(record, &event).poster(" poster--square", &badge),
            calendar = icons::medium(icons::CALENDAR),
            id = record.id,
            title = title_of(record).0,
            kind = escaped(&context.event_kind(record)),
            cells = "<span class=\"countdown__cell\">&nbsp;<small>&nbsp;</small></span>".repeat(3),
            button = offer_button(context, record, Slot::Card),
        )
    }

    /// The library: its search, categories and first rails. The first photograph is the leading one.
    pub(super) fn library(&self, is_narrowed: bool) -> Part {
        let (context, texts) = (self.context, self.context.texts());
        let head = format!(
            "<div class=\"library__head\"><h1 class=\"type-page\">{title}</h1><div class=\"library__search\" \
             aria-hidden=\"true\"><div class=\"field\"><span class=\"field__label\"><span></span></span>\
             <span class=\"field__box\"><input class=\"field__input\" placeholder=\"{search}\" disabled>{icon}</span></div>\
             </div></div>",
            title = escaped(context.library_title()),
            search = escaped(texts.search_title),
            icon = icons::medium(icons::SEARCH),
        );
        // Only the site renders the operator's text above the videos.
        let has_intro = context.channel.settings.static_blocks.get("library").is_some_and(|text| !text.is_empty());
        let (mut rest, mut picture) = (String::new(), None);
        if !is_narrowed && !has_intro && !context.channel.is_geo_blocked(context.country) {
            rest = self.categories();
            for (at, rail) in context.channel.rails.iter().take(MAX_RAILS).enumerate() {
                let (section, leading) = self.video_rail(rail, at == 0);
                rest.push_str(&section);
                picture = picture.or(leading);
            }
        }
        Part { html: format!("<div class=\"wrap library\">{head}{rest}</div>"), picture }
    }

    fn categories(&self) -> String {
        let all = &self.context.channel.vod_categories;
        if all.len() < 2 {
            return String::new();
        }
        let links: String = all
            .iter()
            .map(|one| {
                let title = escaped(&one.title);
                format!("<a class=\"filter\" href=\"/vod_library?category_id={}\">{title}</a>", one.id)
            })
            .collect();
        let whole = escaped(self.context.texts().all);
        format!(
            "<nav class=\"clips__tags\"><a class=\"filter filter--set\" href=\"/vod_library\">{whole}</a>{links}</nav>"
        )
    }

    /// Returns the rail, with its leading photograph if it is the first.
    fn video_rail(&self, of: &RailRecord, is_first: bool) -> (String, Option<Photograph>) {
        let videos = of.item_ids.iter().filter_map(|&id| self.context.channel.video(id)).take(MAX_CARDS);
        let mut pictures: Vec<_> = videos.map(|video| (video, self.video_picture(video))).collect();
        let leading = pictures.first_mut().filter(|_| is_first).and_then(|(_, picture)| picture.take_leading());
        let cards = pictures.iter().map(|(video, picture)| self.video_card(video, picture));
        (format!("<section class=\"section\">{}{}</section>", heading(&of.title, "", None), rail(cards)), leading)
    }
}
