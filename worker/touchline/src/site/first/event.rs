//! The head of an event's page with the still of its video, as in `Watch.tsx` and `Stage.tsx`.

use touchline_channel::catalogue::EventRecord;
use touchline_channel::catalogue::records::MediaKind;
use touchline_protocol::catalogue::Media;

use super::names::title_of;
use super::{PageContext, Part, Photograph};
use crate::pages::escaped;

/// The `sizes` of the still, as in `Stage.tsx`.
const SIZES: &str = "(min-width: 900px) 66vw, 100vw";

pub(super) fn event(context: &PageContext<'_>, event: &EventRecord) -> Option<Part> {
    if context.is_closed(event) {
        return None;
    }
    let (title, _) = title_of(event);
    let description = match event.description.as_str() {
        "" => String::new(),
        text => format!("<p class=\"muted reading\">{}</p>", escaped(text)),
    };
    let still = still(context, event);
    let html = format!(
        "<div class=\"wrap\"><div class=\"watch\"><div class=\"watch__main\"><div class=\"watch__stage\">\
         <div class=\"stage\">{still}</div><div class=\"first__line\"></div></div><div class=\"watch__head\"><div class=\"stack stack--tight\">\
         <p class=\"type-label\">{}</p><h1 class=\"type-fixture\">{title}</h1></div>\
         <div class=\"watch__share\" aria-hidden=\"true\">{button}{button}</div></div>{description}</div></div></div>",
        escaped(&context.event_kind(event)),
        still = still.as_ref().map(|still| still.leading("")).unwrap_or_default(),
        button = "<span class=\"button button--quiet button--alone\"></span>",
    );
    Some(Part { html, picture: still })
}

/// The still of an event that every visitor may watch, as in `playable.ts`.
fn still(context: &PageContext<'_>, record: &EventRecord) -> Option<Photograph> {
    let event = context.channel.event_for_visitors(record, context.now_s);
    let is = |medium: &Media, kinds: &[MediaKind]| kinds.iter().any(|kind| *kind as u8 == medium.kind);
    let videos = [MediaKind::Live, MediaKind::Vod, MediaKind::Embedded];
    let is_playable =
        event.media.iter().any(|medium| is(medium, &videos) && (medium.url.is_some() || medium.is_protected));
    let still = event.media.into_iter().find(|medium| is(medium, &[MediaKind::Thumbnails]) && medium.url.is_some())?;
    let address = still.url.filter(|_| event.has_access && is_playable)?;
    Some(Photograph::new(address, still.picture, SIZES))
}
