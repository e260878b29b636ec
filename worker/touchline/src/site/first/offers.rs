//! An event's button, by what a visitor may do, and the price, as in `OfferButton.tsx`.

use touchline_channel::catalogue::EventRecord;
use touchline_protocol::catalogue::{AccessType, StreamStatus};

use super::PageContext;
use super::icons::PLAY;
use crate::pages::escaped;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
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
fn price(context: &PageContext<'_>, event: &EventRecord) -> Option<String> {
    let is_sold = matches!(event.access_type, AccessType::Paid | AccessType::Ppv);
    event.single_event_package_id.filter(|_| is_sold)?;
    Some(context.texts().money(event.base_price, &context.channel.settings.currency))
}

/// The price of an event, or a word for it, for a row.
pub(super) fn price_text(context: &PageContext<'_>, event: &EventRecord) -> String {
    match event.access_type {
        AccessType::Free => context.texts().free.to_owned(),
        AccessType::Register => context.texts().register_short.to_owned(),
        AccessType::Paid | AccessType::Ppv => price(context, event).unwrap_or_default(),
    }
}

/// Whether the button only leads to the event's page.
pub(super) fn is_details_only(context: &PageContext<'_>, event: &EventRecord) -> bool {
    event.status_at(context.now_s) == StreamStatus::Upcoming && price(context, event).is_none()
}

pub(super) fn offer_button(context: &PageContext<'_>, event: &EventRecord, slot: Slot) -> String {
    let (texts, status) = (context.texts(), event.status_at(context.now_s));
    let page = format!("/watch/{}", event.id);
    let is_open = event.access_type == AccessType::Free;
    let look = match slot {
        Slot::Hero => "primary button--big",
        Slot::Card => "second button--block",
        Slot::Row => "second button--small",
    };
    if status == StreamStatus::Upcoming || (slot == Slot::Row && is_open) {
        return match price(context, event) {
            Some(_) if slot == Slot::Row => button(look, &page, texts.buy, ""),
            Some(price) => button(look, &page, &texts.buy_for.replacen("{{price}}", &price, 1), ""),
            None if status == StreamStatus::Upcoming => button(look, &page, texts.details, ""),
            None => button(look, &page, texts.watch, ""),
        };
    }
    let icon = if slot == Slot::Hero { PLAY } else { "" };
    let capitals = format!("{look} button--capitals");
    match event.access_type {
        AccessType::Free if status == StreamStatus::Live => button(look, &page, texts.watch_live, PLAY),
        AccessType::Free => button(look, &page, texts.watch, PLAY),
        AccessType::Register => button(&capitals, "/registration", texts.register_to_watch, icon),
        AccessType::Paid | AccessType::Ppv => button(&capitals, "/login", texts.login_to_watch, icon),
    }
}
