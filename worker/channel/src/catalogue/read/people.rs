//! `locations.json`, `categories.json`, `groups.json`, `group-properties.json`, `participants.json`: teams, their
//! schools, sports and locations.

use std::collections::BTreeSet;

use serde_json::Value;
use touchline_protocol::catalogue::{
    EventCategory, EventLocation, Participant, ParticipantGroup, ParticipantGroupProperty,
};

use super::config::check_unique;
use super::folder::fields::Fields;
use super::folder::{Folder, Ids, ItemList};

/// Deepest nesting of the category tree.
const MAX_DEPTH: usize = 8;

pub(super) fn locations(folder: &Folder<'_>) -> ItemList<EventLocation> {
    folder.list("locations.json", true, |fields| {
        let (id, name) = (fields.id("id"), fields.line("name"));
        let (city, state) = (fields.line_or_empty("city"), fields.line_or_empty("state"));
        let (country_code, time_zone) = (fields.country("country_code"), fields.time_zone("time_zone"));
        Some(EventLocation { id: id?, name: name?, city, state, country_code: country_code?, time_zone: time_zone? })
    })
}

pub(super) fn categories(folder: &Folder<'_>) -> ItemList<EventCategory> {
    let mut listed = ItemList { items: Vec::new(), ids: Ids { file: "categories.json", ..Ids::default() } };
    let mut aliases = BTreeSet::new();
    match folder.json("categories.json", true) {
        Some(value) => listed.items = nodes(folder, "", &value, 0, &mut listed.ids, &mut aliases),
        None => listed.ids.is_partial = true,
    }
    listed
}

fn nodes(
    folder: &Folder<'_>,
    path: &str,
    value: &Value,
    depth: usize,
    ids: &mut Ids,
    aliases: &mut BTreeSet<String>,
) -> Vec<EventCategory> {
    if depth == MAX_DEPTH {
        folder.fault(ids.file, path, format!("is too deep: at most {MAX_DEPTH} levels"));
        ids.is_partial = true;
        return Vec::new();
    }
    let mut level = ItemList { items: Vec::new(), ids: std::mem::take(ids) };
    // Children are read after their whole level, since ids are unique across the tree.
    let mut below: Vec<(String, Value)> = Vec::new();
    folder.items("categories.json", path, value, &mut level, |fields| {
        let (id, name, alias) = (fields.id("id"), fields.line("name"), fields.alias("alias"));
        check_unique(fields, "alias", alias.as_ref(), aliases);
        let sport = fields.line_or_empty("sport");
        let children = fields.raw("children").cloned().unwrap_or_else(|| Value::Array(Vec::new()));
        below.push((format!("{}.children", fields.path), children));
        Some(EventCategory { id: id?, name: name?, alias: alias?, sport, children: Vec::new() })
    });
    *ids = level.ids;
    let is_whole = level.items.len() == below.len();
    for (index, (path, value)) in below.iter().enumerate() {
        let children = nodes(folder, path, value, depth + 1, ids, aliases);
        // Positions do not match on a level with a faulty node, and the tree is rejected anyway.
        if is_whole {
            level.items[index].children = children;
        }
    }
    level.items
}

pub(super) fn groups(folder: &Folder<'_>) -> ItemList<ParticipantGroup> {
    let mut aliases = BTreeSet::new();
    folder.list("groups.json", false, |fields| {
        let (id, name, alias) = (fields.id("id"), fields.line("name"), fields.alias("alias"));
        check_unique(fields, "alias", alias.as_ref(), &mut aliases);
        let (images, color) = (fields.images("images"), fields.color("color"));
        let nickname = fields.line_or_empty("nickname");
        let properties = fields.texts_by_name("properties");
        Some(ParticipantGroup { id: id?, name: name?, alias: alias?, images, color: color?, nickname, properties })
    })
}

pub(super) fn group_properties(folder: &Folder<'_>) -> Vec<ParticipantGroupProperty> {
    let Some(value) = folder.json("group-properties.json", false) else { return Vec::new() };
    let mut listed = ItemList { items: Vec::new(), ids: Ids::default() };
    let mut keys = BTreeSet::new();
    folder.items("group-properties.json", "", &value, &mut listed, |fields| {
        let (key, name) = (fields.line("key"), fields.line("name"));
        check_unique(fields, "key", key.as_ref(), &mut keys);
        let values = fields.lines("values");
        Some(ParticipantGroupProperty { key: key?, name: name?, values })
    });
    listed.items
}

pub(super) fn participants(folder: &Folder<'_>, groups: &Ids) -> ItemList<Participant> {
    let mut aliases = BTreeSet::new();
    folder.list("participants.json", true, |fields: &Fields<'_>| {
        let (id, name, short_name) = (fields.id("id"), fields.line("name"), fields.line("short_name"));
        let alias = fields.alias("alias");
        check_unique(fields, "alias", alias.as_ref(), &mut aliases);
        let (images, color) = (fields.images("images"), fields.color("color"));
        let second_color = fields.maybe_color("second_color");
        let group_id = fields.maybe_reference("group_id", groups);
        let properties = fields.texts_by_name("properties");
        if let Some(gender) = properties.get("gender")
            && !["male", "female"].contains(&gender.as_str())
        {
            fields.fault("properties.gender", "must be `male` or `female`");
        }
        Some(Participant {
            id: id?,
            name: name?,
            short_name: short_name?,
            alias: alias?,
            images,
            color: color?,
            second_color,
            group_id,
            properties,
        })
    })
}
