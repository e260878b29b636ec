//! The first slide of the home page, as in `Featured.tsx` and `HeroSlides.tsx`.

use touchline_channel::catalogue::EventRecord;
use touchline_protocol::catalogue::{Slide, StreamStatus};

use super::names::{plain_title, title_of};
use super::offers::{Slot, button, is_details_only, offer_button};
use super::{PageContext, Part, Photograph};
use crate::pages::escaped;

/// The `sizes` of the leading picture, as in `Featured.tsx`.
const SIZES: &str = "(min-width: 900px) 74vw, 100vw";

pub(super) fn hero(context: &PageContext<'_>) -> Option<Part> {
    let slide = context.channel.slides.iter().find(|slide| slide.slidable_type.is_none())?;
    let event = slide.event_id.and_then(|id| context.channel.event(id));
    // The site shows its own message for an event that is blocked in a region.
    if event.is_some_and(|event| context.is_closed(event)) || slide.image.is_empty() {
        return None;
    }
    let (title, is_long) = match event {
        Some(event) if slide.title.is_empty() => title_of(event),
        _ if slide.title.is_empty() => plain_title(&context.channel.settings.name),
        _ => plain_title(&slide.title),
    };
    let kicker = event.map(|event| format!("<div class=\"hero__kicker\">{}</div>", kicker(context, event)));
    let text = match slide.text.as_str() {
        "" => String::new(),
        text => format!("<p class=\"type-lead muted hero__text\">{}</p>", escaped(text)),
    };
    let size = if is_long { " type-hero--long" } else { "" };
    let picture = Photograph::new(slide.image.clone(), slide.picture.clone(), SIZES);
    let html = format!(
        "<section class=\"hero\"><div class=\"hero__picture\">{photograph}</div>\
         <div class=\"wrap hero__words\"><div class=\"hero__lead\">{kicker}<h1 class=\"type-hero{size}\">{title}</h1>{text}\
         {actions}</div>{foot}</div></section>",
        photograph = picture.leading(""),
        kicker = kicker.unwrap_or_default(),
        actions = actions(context, slide, event),
        foot = foot(context),
    );
    Some(Part { html, picture: Some(picture) })
}

/// Space for the list of slides.
fn foot(context: &PageContext<'_>) -> String {
    let count = context.channel.slides.iter().filter(|slide| slide.slidable_type.is_none()).count();
    if count < 2 {
        return String::new();
    }
    let name = "<span class=\"hero__name\">&nbsp;</span>";
    let line = format!("<li><span class=\"hero__choose\"><span class=\"hero__line\"></span>{name}</span></li>");
    format!(
        "<div class=\"hero__foot\" aria-hidden=\"true\"><ol class=\"hero__slides\">{}</ol></div>",
        line.repeat(count)
    )
}

fn actions(context: &PageContext<'_>, slide: &Slide, event: Option<&EventRecord>) -> String {
    let texts = context.texts();
    let buttons = match event {
        Some(event) => {
            let page = format!("/watch/{}", event.id);
            let link = if slide.link.is_empty() { &page } else { &slide.link };
            let text = if slide.button.is_empty() { texts.event_details } else { &slide.button };
            if is_details_only(context, event) {
                button("primary button--big", link, text, "")
            } else {
                offer_button(context, event, Slot::Hero) + &button("second button--big", link, text, "")
            }
        }
        None if slide.link.is_empty() => return String::new(),
        None => {
            let text = if slide.button.is_empty() { texts.details } else { &slide.button };
            button("primary button--big", &slide.link, text, "")
        }
    };
    format!("<div class=\"hero__actions\">{buttons}</div>")
}

fn kicker(context: &PageContext<'_>, event: &EventRecord) -> String {
    let texts = context.texts();
    let (badge, when) = match event.status_at(context.now_s) {
        StreamStatus::Live => {
            let ago = texts.ago((context.now_s - event.starts_at).max(0));
            (
                format!("<span class=\"badge badge--live figures\">{}</span>", texts.live),
                texts.started.replacen("{{ago}}", &ago, 1),
            )
        }
        StreamStatus::Upcoming => (String::new(), texts.date(event.starts_at, &event.time_zone)),
        StreamStatus::Finished => (String::new(), texts.finished.to_owned()),
    };
    format!(
        "{badge}<span>{}</span><span class=\"muted\">{}</span>",
        escaped(&context.event_kind(event)),
        escaped(&when)
    )
}
