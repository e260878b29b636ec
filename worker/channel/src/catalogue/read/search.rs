//! Texts of a channel that the search covers (`SEARCH-1`).

use touchline_protocol::catalogue::Participant;

use crate::catalogue::search::{Collector, Kind, SearchIndex, Weight};
use crate::catalogue::snapshot::ChannelSnapshot;

pub(super) fn index(channel: &ChannelSnapshot) -> SearchIndex {
    let mut all = Collector::default();
    let team = |team: &Participant| channel.participant(team.id).and_then(|team| channel.group(team.group_id?));
    for (position, event) in channel.events.iter().enumerate() {
        let mut texts = vec![(Weight::Name, event.name.as_str()), (Weight::Text, &event.description)];
        for team_record in &event.participants {
            texts.extend([(Weight::Name, team_record.name.as_str()), (Weight::Name, &team_record.short_name)]);
            texts.extend(team_record.properties.get("nickname").map(|name| (Weight::Related, name.as_str())));
            texts.extend(team(team_record).map(|school| (Weight::Related, school.name.as_str())));
        }
        let line = channel.categories.line(event.event_category_id);
        texts
            .extend(line.filter_map(|id| channel.categories.get(id)).map(|node| (Weight::Related, node.name.as_str())));
        if let Some(location) = channel.location(event.location_id) {
            texts.extend([(Weight::Text, location.name.as_str()), (Weight::Text, &location.city)]);
        }
        all.add(Kind::Event, position, texts);
    }
    for (position, team_record) in channel.participants.iter().enumerate() {
        let mut texts = vec![(Weight::Name, team_record.name.as_str()), (Weight::Name, &team_record.short_name)];
        texts.extend(team_record.properties.iter().filter_map(|(key, value)| property(key, value)));
        texts.extend(team(team_record).map(|school| (Weight::Related, school.name.as_str())));
        all.add(Kind::Team, position, texts);
    }
    for (position, school) in channel.groups.iter().enumerate() {
        let names = [(Weight::Name, school.name.as_str()), (Weight::Name, &school.nickname)];
        let properties = school.properties.iter().filter_map(|(key, value)| property(key, value));
        all.add(Kind::School, position, names.into_iter().chain(properties));
    }
    for (position, video) in channel.vod.iter().enumerate() {
        let category = channel.vod_categories.iter().find(|category| Some(category.id) == video.category_id);
        let texts = [(Weight::Name, video.title.as_str()), (Weight::Text, &video.description)];
        all.add(
            Kind::Video,
            position,
            texts.into_iter().chain(category.map(|category| (Weight::Related, category.title.as_str()))),
        );
    }
    for (position, page) in channel.pages.iter().enumerate() {
        let content = page.content.as_deref().map(|content| (Weight::Text, content));
        all.add(Kind::Page, position, [(Weight::Name, page.name.as_str())].into_iter().chain(content));
    }
    all.finish()
}

/// A property with a readable value. Others, such as `gender`, are codes.
fn property<'a>(key: &str, value: &'a str) -> Option<(Weight, &'a str)> {
    let weight = match key {
        "nickname" => Weight::Name,
        "sport" | "league" => Weight::Related,
        "city" | "state" => Weight::Text,
        _ => return None,
    };
    Some((weight, value))
}
