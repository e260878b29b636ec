//! An event's button, by what a visitor may do, and the price, as in `OfferButton.tsx`.

use touchline_channel::catalogue::EventRecord;
use touchline_protocol::catalogue::{AccessType, StreamStatus};

use super::Asking;
use super::icons::PLAY;
use crate::pages::escaped;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Hero,
    Card,
    Row,
}

/// A link styled as a button, with `icon` before its label.
pub(super) fn button(look: &str, to: &str, text: &str, icon: &str) -> String {
    format!(
        "<a class=\"button button--{look}\" href=\"{}\"><span class=\"button__content\">{icon}{}</span></a>",
        escaped(to),
        escaped(text)
    )
}

/// The price of an event that is sold singly.
fn price(asking: &Asking<'_>, event: &EventRecord) -> Option<String> {
    let is_sold = matches!(event.access_type, AccessType::Paid | AccessType::Ppv);
    event.single_event_package_id.filter(|_| is_sold)?;
    Some(asking.shown_words().money(event.base_price, &asking.channel.settings.currency))
}

/// The price of an event, or a word for it, for a row.
pub(super) fn price_word(asking: &Asking<'_>, event: &EventRecord) -> String {
    match event.access_type {
        AccessType::Free => asking.shown_words().free.to_owned(),
        AccessType::Register => asking.shown_words().register_short.to_owned(),
        AccessType::Paid | AccessType::Ppv => price(asking, event).unwrap_or_default(),
    }
}

/// Whether the button only leads to the event's page.
pub(super) fn says_details(asking: &Asking<'_>, event: &EventRecord) -> bool {
    event.status_at(asking.now_s) == StreamStatus::Upcoming && price(asking, event).is_none()
}

pub(super) fn offer_button(asking: &Asking<'_>, event: &EventRecord, place: Place) -> String {
    let (words, status) = (asking.shown_words(), event.status_at(asking.now_s));
    let page = format!("/watch/{}", event.id);
    let is_open = event.access_type == AccessType::Free;
    let look = match place {
        Place::Hero => "primary button--big",
        Place::Card => "second button--block",
        Place::Row => "second button--small",
    };
    if status == StreamStatus::Upcoming || (place == Place::Row && is_open) {
        return match price(asking, event) {
            Some(_) if place == Place::Row => button(look, &page, words.buy, ""),
            Some(price) => button(look, &page, &words.buy_for.replacen("{{price}}", &price, 1), ""),
            None if status == StreamStatus::Upcoming => button(look, &page, words.details, ""),
            None => button(look, &page, words.watch, ""),
        };
    }
    let icon = if place == Place::Hero { PLAY } else { "" };
    let capitals = format!("{look} button--capitals");
    match event.access_type {
        AccessType::Free if status == StreamStatus::Live => button(look, &page, words.watch_live, PLAY),
        AccessType::Free => button(look, &page, words.watch, PLAY),
        AccessType::Register => button(&capitals, "/registration", words.register_to_watch, icon),
        AccessType::Paid | AccessType::Ppv => button(&capitals, "/login", words.login_to_watch, icon),
    }
}
