//! Cards of events and videos, and their rails. Text that depends on the viewer's clock or time zone gets empty space:
//! dates, elapsed time, and scores, which the viewer may hide.

use touchline_channel::catalogue::EventRecord;
use touchline_channel::catalogue::records::{MediaKind, VodRecord};
use touchline_protocol::catalogue::{Event, StreamStatus};
use touchline_protocol::isolated::isolated;

use super::names::{name, title_of};
use super::offers::{Slot, offer_button};
use super::pictures::Picture;
use super::{Canvas, icons};
use crate::pages::escaped;

/// The lines below pictures, which show the state, as in `Touchline.tsx`.
const LIVE_LINE: &str =
    "<div class=\"touchline\" aria-hidden=\"true\"><i class=\"touchline__part touchline__part--live\"></i></div>";
const UNSEEN_LINE: &str = "<div class=\"touchline\" aria-hidden=\"true\"><i class=\"touchline__part\"></i></div>";
pub(super) const UPCOMING_LINE: &str = "<div class=\"touchline touchline--upcoming\" aria-hidden=\"true\"></div>";

pub(super) fn badge(corner: &str, look: &str, text: &str) -> String {
    format!(
        "<div class=\"poster__corner poster__corner--{corner}\"><span class=\"badge badge--{look} figures\">{}</span></div>",
        escaped(text)
    )
}

fn length(seconds: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "a length in seconds is far below the limit")]
    let whole = seconds.max(0.0).floor() as i64;
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60);
    let text = if hours > 0 { format!("{hours}:{minutes:02}:{rest:02}") } else { format!("{minutes}:{rest:02}") };
    badge("bottom-right", "ink", &text)
}

/// Space for a score; viewers who hide scores must not see it.
pub(super) fn score(event: &Event) -> &'static str {
    if event.score.is_some() { "<p class=\"score\">&nbsp;</p>" } else { "" }
}

/// A section's title, with an optional count and an optional link with its label.
pub(super) fn heading(title: &str, count: &str, more: Option<(&str, &str)>) -> String {
    let count = if count.is_empty() { String::new() } else { format!("<span class=\"muted figures\">{count}</span>") };
    let more = more.map(|(to, label)| {
        format!("<a class=\"section-heading__more\" href=\"{to}\">{}{}</a>", escaped(label), icons::small(icons::ON))
    });
    format!(
        "<div class=\"section-heading\"><h2 class=\"type-section\">{}</h2>{count}{}</div>",
        escaped(title),
        more.unwrap_or_default()
    )
}

pub(super) fn rail(cards: impl Iterator<Item = String>) -> String {
    let items: String = cards.map(|card| format!("<li class=\"rail__item\">{card}</li>")).collect();
    format!("<div class=\"rail\"><ul class=\"rail__list\">{items}</ul></div>")
}

fn card(poster: &str, line: &str, (to, title): (&str, &str), about: &str) -> String {
    format!(
        "<article class=\"event-card\">{poster}{line}<div class=\"event-card__body\"><h3 class=\"event-card__name\">\
         <a class=\"event-card__link\" href=\"{to}\">{title}</a></h3>{about}"
    )
}

impl Canvas<'_> {
    /// An event that is live or finished, as in `EventCard.tsx`.
    pub(super) fn event_card(&self, record: &EventRecord) -> String {
        let context = self.context;
        let event = context.channel.event_for_visitors(record, context.now_s);
        let is_live = event.stream_status == StreamStatus::Live;
        let recording = event.media.iter().find(|medium| medium.kind == MediaKind::Vod as u8);
        let badges = match recording {
            _ if is_live => badge("top-left", "live", context.texts().live),
            Some(medium) => length(medium.duration_s),
            None => String::new(),
        };
        let location = context.channel.location(record.location_id).filter(|_| is_live);
        let about = [
            isolated(&context.event_kind(record)).into_owned(),
            location.map(|location| format!("{} {}", isolated(&location.city), location.state)).unwrap_or_default(),
        ];
        let about = about.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
        let button = if is_live || !event.has_access {
            format!("<div class=\"event-card__act\">{}</div>", offer_button(context, record, Slot::Card))
        } else {
            String::new()
        };
        let about = format!("<p class=\"event-card__meta\">{}</p>{}", escaped(&about), score(&event));
        let poster = self.event_picture(record, &event).poster("", &badges);
        let link = (format!("/watch/{}", record.id), title_of(record).0);
        let line = if is_live { LIVE_LINE } else { UNSEEN_LINE };
        format!("{}</div>{button}</article>", card(&poster, line, (&link.0, &link.1), &about))
    }

    /// A video of the library, as in `VodCard.tsx`.
    pub(super) fn video_card(&self, video: &VodRecord, picture: &Picture) -> String {
        let badges = if video.duration_s > 0.0 { length(video.duration_s) } else { String::new() };
        let link = (format!("/vod_library/{}", video.id), name(&video.title));
        let date = "<p class=\"event-card__meta\">&nbsp;</p>";
        format!("{}</div></article>", card(&picture.poster("", &badges), UNSEEN_LINE, (&link.0, &link.1), date))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_formatted_as_on_the_site() {
        for (seconds, text) in [(5.4, ">0:05<"), (522.0, ">8:42<"), (6440.0, ">1:47:20<")] {
            assert!(length(seconds).contains(text), "{text}");
        }
    }
}
