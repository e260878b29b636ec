//! `vod.json`: the video library.

use jiff::Timestamp;
use touchline_domain::regions::GeoRules;
use touchline_protocol::catalogue::{AccessType, VodAsset, VodMediaCategory};
use touchline_protocol::time::rfc3339;

use super::events::access_type;
use super::folder::fields::Fields;
use super::folder::{Folder, Ids, ItemList};
use super::media::{LiveRules, Owner, medium};
use crate::catalogue::records::{MediaKind, RailRecord, VodRecord};
use crate::media::{Feed, Mount, Timing, signing::OPEN};

#[derive(Default)]
pub(super) struct Library {
    pub(super) categories: Vec<VodMediaCategory>,
    pub(super) items: Vec<VodRecord>,
    pub(super) rails: Vec<RailRecord>,
}

fn empty<T>() -> ItemList<T> {
    ItemList { items: Vec::new(), ids: Ids { file: "vod.json", ..Ids::default() } }
}

pub(super) fn library(folder: &Folder<'_>, anchor_s: i64, channel_is_open: bool) -> Option<Library> {
    if !folder.files.contains_key("vod.json") {
        return Some(Library::default());
    }
    folder.object("vod.json", true, |fields| {
        let (mut categories, mut items, mut rails) = (empty(), empty(), empty());
        if let Some(value) = fields.raw("categories") {
            folder.items("vod.json", "categories", value, &mut categories, |category| {
                let (id, title) = (category.id("id"), category.line("title"));
                Some(VodMediaCategory { id: id?, title: title? })
            });
        }
        if let Some(value) = fields.raw("items") {
            let mut media_ids = std::collections::BTreeSet::new();
            folder.items("vod.json", "items", value, &mut items, |fields| {
                let item = item(fields, &categories.ids, anchor_s, channel_is_open)?;
                if !media_ids.insert(item.media.id) {
                    fields.fault("media.id", format!("{} is used twice", item.media.id));
                }
                Some(item)
            });
        }
        if let Some(value) = fields.raw("rails") {
            folder.items("vod.json", "rails", value, &mut rails, |rail| {
                let (id, title) = (rail.id("id"), rail.line("title"));
                let item_ids = rail.references("item_ids", &items.ids);
                Some(RailRecord { id: id?, title: title?, item_ids })
            });
        }
        items.items.sort_by(|a, b| b.date.cmp(&a.date).then(a.id.cmp(&b.id)));
        Some(Library { categories: categories.items, items: items.items, rails: rails.items })
    })
}

fn item(fields: &Fields<'_>, categories: &Ids, anchor_s: i64, channel_is_open: bool) -> Option<VodRecord> {
    let (id, title) = (fields.id("id"), fields.line("title"));
    let date = date(fields, anchor_s);
    let description = fields.text_or_empty("description");
    let category_id = fields.maybe_reference("category_id", categories);
    let access_type = access_type(fields);
    if access_type == Some(AccessType::Ppv) {
        fields.fault("access_type", "must not be `ppv`, since videos are not sold individually");
    }
    let duration_s = fields.maybe_number("duration_s", 0.0..=1_000_000.0);
    let (figure, color) = (fields.line_or_empty("figure"), fields.maybe_color("color").unwrap_or_default());
    let mut previews = 0;
    let assets = fields.objects("assets", |asset| {
        let kind = asset.one_of("type", &[("image", "image"), ("preview", "preview")]);
        let path = asset.line("path");
        let path = path?;
        let Some(kind) = kind else {
            // The file must exist, whatever its kind.
            asset.is_file("path", &path);
            return None;
        };
        let url = if kind == "image" {
            asset.image_url("path", &path)?
        } else {
            let stream = asset.folder.stream(asset, "path", &path)?;
            previews += 1;
            let mount = format!("a{}-{previews}", id?);
            let url = format!("/media/{}/s/{mount}/{OPEN}/{}", asset.folder.key, stream.entry);
            let (timing, geo) = (Timing::OnDemand { from: i64::MIN }, GeoRules::default());
            asset.folder.mount(mount, Mount { feed: Feed::Files(stream), timing, is_open: true, geo });
            url
        };
        Some(VodAsset { kind: kind.to_owned(), path: url, picture: None })
    });
    let is_open = access_type == Some(AccessType::Free) && channel_is_open;
    let media = match fields.maybe_object("media") {
        Some(media) => {
            let id = media.id("id");
            let owner = Owner {
                span: None,
                is_open,
                geo: &GeoRules::default(),
                is_paid: access_type == Some(AccessType::Paid),
                is_local: !channel_is_open,
                live: LiveRules::default(),
            };
            let medium = medium(&media, id, &owner);
            if medium.as_ref().is_some_and(|medium| medium.kind != MediaKind::Vod) {
                media.fault("type", "must be 3, a video on demand");
            }
            medium
        }
        None => {
            if !fields.has("media") {
                fields.fault("media", "is missing");
            }
            None
        }
    };
    let media = media?;
    Some(VodRecord {
        id: id?,
        title: title?,
        date: date?,
        description,
        category_id,
        access_type: access_type?,
        duration_s: duration_s.unwrap_or(media.duration_s),
        figure,
        color,
        assets,
        media,
    })
}

fn date(fields: &Fields<'_>, anchor_s: i64) -> Option<String> {
    let days_ago = fields.maybe_integer("days_ago", 0..=36_525);
    let date = fields.maybe_string("date", 40).and_then(|text| {
        let parsed = text.parse::<Timestamp>().ok();
        if parsed.is_none() {
            fields.fault("date", "must be a time like `2026-11-20T18:00:00Z`");
        }
        parsed
    });
    if fields.has("days_ago") == fields.has("date") {
        fields.fault("date", "or `days_ago` must be present, but not both");
        return None;
    }
    let ago = days_ago.and_then(|days| Timestamp::from_second(anchor_s - days * 86_400).ok());
    ago.or(date).map(|at| rfc3339(at.as_millisecond()))
}
