//! `events.json`: events, their times and their media.

use std::collections::BTreeSet;

use jiff::civil::Time;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use touchline_domain::regions::GeoRules;
use touchline_protocol::catalogue::{AccessType, EventScore, EventType, Participant};

use super::config::{Region, geo_rules};
use super::folder::fields::Fields;
use super::folder::{Folder, Ids, ItemList};
use super::media::{LiveRules, Owner, medium};
use crate::catalogue::records::EventRecord;

/// Allowed distance of a demo's times from its anchor, in days.
const DAYS: std::ops::RangeInclusive<i64> = -5 * 366..=366;
/// Allowed distance of a demo's times from its anchor, in seconds.
const OFFSETS_S: std::ops::RangeInclusive<i64> = *DAYS.start() * 86_400..=*DAYS.end() * 86_400;
/// From 2000 to 2200, in Unix seconds.
const TIMES: std::ops::RangeInclusive<i64> = 946_684_800..=7_258_118_400;
/// Highest score of a side.
pub(crate) const SCORE_MAX: i64 = 9_999;
/// Longest name of a period, in characters.
pub(crate) const PERIOD_MAX: usize = 40;
/// Longest event, in seconds: a season's channel left on.
const MAX_DURATION_S: i64 = 366 * 86_400;

/// Ids that events refer to.
pub(super) struct EventContext<'a> {
    pub(super) locations: &'a Ids,
    pub(super) categories: &'a Ids,
    pub(super) participants: &'a ItemList<Participant>,
    pub(super) anchor_s: i64,
    pub(super) region: Region,
    pub(super) live: LiveRules,
}

pub(super) fn events(folder: &Folder<'_>, context: &EventContext<'_>) -> ItemList<EventRecord> {
    let (mut sold_as, mut media_ids) = (BTreeSet::new(), BTreeSet::new());
    let mut listed = folder.list("events.json", true, |fields| event(fields, context, &mut sold_as, &mut media_ids));
    listed.items.sort_by_key(|event| (event.starts_at, event.id));
    listed
}

fn event(
    fields: &Fields<'_>,
    context: &EventContext<'_>,
    sold_as: &mut BTreeSet<i64>,
    media_ids: &mut BTreeSet<i64>,
) -> Option<EventRecord> {
    let (id, name) = (fields.id("id"), fields.line("name"));
    let access_type = access_type(fields);
    let kind = fields.maybe_one_of("type", &[("paid", EventType::Paid), ("other", EventType::Other)]);
    let time_zone = fields.time_zone("time_zone");
    let starts_at = starts_at(fields, context.anchor_s, time_zone.as_deref());
    let duration_s = fields.integer("duration_s", 60..=MAX_DURATION_S);
    let event_category_id = fields.reference("event_category_id", context.categories);
    let location_id = fields.reference("location_id", context.locations);
    let participant_ids = fields.references("participant_ids", &context.participants.ids);
    let home_team_id = fields.maybe_id("home_team_id");
    if home_team_id.is_some_and(|home| !participant_ids.contains(&home)) {
        fields.fault("home_team_id", "must be one of `participant_ids`");
    }
    let base_price = fields.maybe_integer("base_price", 0..=100_000_000).unwrap_or(0);
    let service_fee = fields.maybe_integer("service_fee", 0..=100_000_000).unwrap_or(0);
    let single_event_package_id = fields.maybe_id("single_event_package_id");
    match single_event_package_id {
        Some(sold) if !sold_as.insert(sold) => {
            fields.fault("single_event_package_id", format!("{sold} is used twice"));
        }
        None if base_price > 0 => fields.fault("single_event_package_id", "is required when there is a price"),
        None if access_type == Some(AccessType::Ppv) => {
            fields.fault("single_event_package_id", "is required, since the event can only be bought individually");
        }
        Some(_) if !matches!(access_type, Some(AccessType::Paid | AccessType::Ppv) | None) => {
            fields.fault("single_event_package_id", "is only for paid events");
        }
        _ => {}
    }
    let geo = match fields.maybe_object("geo") {
        Some(geo) => geo_rules(&geo, context.region.deny_unknown),
        None => GeoRules::default(),
    };
    let description = fields.text_or_empty("description");
    let folder_score = fields.maybe_object("score").and_then(|score| event_score(&score));
    if folder_score.is_some() && participant_ids.len() != 2 {
        fields.fault("score", "is only for events with two teams");
    }
    let is_open = access_type == Some(AccessType::Free) && context.region.is_open && !geo.is_restricting();
    let span = starts_at.zip(duration_s).map(|(starts, lasts)| (starts, starts + lasts));
    let is_paid = matches!(access_type, Some(AccessType::Paid | AccessType::Ppv));
    let is_local = !context.region.is_open || geo.is_restricting();
    // A faulty start is reported; the media are still read as those of an event.
    let owner =
        Owner { span: Some(span.unwrap_or_default()), is_open, geo: &geo, is_paid, is_local, live: context.live };
    let media = fields.objects("media", |fields| medium(fields, media_id(fields, media_ids), &owner));

    let participants = participant_ids
        .iter()
        .filter_map(|&id| context.participants.items.iter().find(|participant| participant.id == id).cloned());
    let access_type = access_type?;
    Some(EventRecord {
        id: id?,
        name: name?,
        kind: kind.unwrap_or(match access_type {
            AccessType::Paid | AccessType::Ppv => EventType::Paid,
            AccessType::Free | AccessType::Register => EventType::Other,
        }),
        access_type,
        starts_at: starts_at?,
        time_zone: time_zone?,
        duration_s: duration_s?,
        event_category_id: event_category_id?,
        location_id: location_id?,
        home_team_id,
        base_price,
        service_fee,
        single_event_package_id,
        description,
        participants: participants.collect(),
        media,
        geo,
        folder_score,
        operator_score: None,
        changed_at: 0,
    })
}

fn event_score(fields: &Fields<'_>) -> Option<EventScore> {
    let side = |name| fields.integer(name, 0..=SCORE_MAX);
    let (away, home, period) = (side("away"), side("home"), fields.maybe_string("period", PERIOD_MAX));
    Some(EventScore { away: away?, home: home?, period: period.unwrap_or_default() })
}

pub(super) fn access_type(fields: &Fields<'_>) -> Option<AccessType> {
    let types = [
        ("free", AccessType::Free),
        ("paid", AccessType::Paid),
        ("register", AccessType::Register),
        ("ppv", AccessType::Ppv),
    ];
    fields.one_of("access_type", &types)
}

/// Start of an event in Unix seconds, from exactly one of the three notations.
fn starts_at(fields: &Fields<'_>, anchor_s: i64, time_zone: Option<&str>) -> Option<i64> {
    let offset = fields.maybe_integer("starts_in_s", OFFSETS_S);
    let kick_off = fields.maybe_object("starts_on").and_then(|fields| kick_off(&fields, anchor_s, time_zone));
    let fixed = fields.maybe_integer("event_utc_ts", TIMES);
    if ["starts_in_s", "starts_on", "event_utc_ts"].iter().filter(|way| fields.has(way)).count() != 1 {
        fields.fault("event_utc_ts", "exactly one of this, `starts_in_s` and `starts_on` must be present");
        return None;
    }
    offset.map(|offset| anchor_s.saturating_add(offset)).or(kick_off).or(fixed)
}

/// A time of day in the event's zone, a number of days after the day of the worker's first start. A time that daylight
/// saving skips is moved forward by as much.
fn kick_off(fields: &Fields<'_>, anchor_s: i64, time_zone: Option<&str>) -> Option<i64> {
    let day = fields.integer("day", DAYS);
    let time = fields.line("time").and_then(|text| {
        // Two digits, a colon, two digits: a parser would accept many other notations.
        let fits = text.len() == 5 && text.as_bytes()[2] == b':';
        let time = text.parse::<Time>().ok().filter(|_| fits);
        if time.is_none() {
            fields.fault("time", "must be a time of day like `19:30`");
        }
        time
    });
    let (day, time) = (day?, time?);
    // A machine without a time zone database uses UTC.
    let zone = TimeZone::get(time_zone?).unwrap_or(TimeZone::UTC);
    let first = Timestamp::from_second(anchor_s).ok()?.to_zoned(zone.clone()).date();
    let date = first.checked_add(Span::new().try_days(day).ok()?).ok()?;
    Some(date.to_datetime(time).to_zoned(zone).ok()?.timestamp().as_second())
}

fn media_id(fields: &Fields<'_>, media_ids: &mut BTreeSet<i64>) -> Option<i64> {
    let id = fields.id("id");
    if let Some(id) = id
        && !media_ids.insert(id)
    {
        fields.fault("id", format!("{id} is used twice"));
    }
    id
}
