//! The home page filtered by school, team, sport or division (`NAV-8`), with the site's own titles.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use touchline_channel::catalogue::ChannelSnapshot;
use touchline_protocol::catalogue::{EventCategory, Participant};
use touchline_protocol::isolated::isolated;

use super::events::is_picture;
use super::{PageContext, PageFacts, title_of};
use crate::site::routes::Narrowing;

/// Characters of a query value to percent-encode.
const VALUE: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

impl PageContext<'_> {
    /// Metadata of the filtered home page; `None` if the channel has no such school, team, sport or division.
    pub(in crate::site) fn narrowed(&self, narrowing: &Narrowing) -> Option<PageFacts> {
        let is = |value: &str, (id, alias, name): (i64, &str, &str)| {
            value == alias || value == name || value == id.to_string()
        };
        let (title, kind, canonical, crest) = match narrowing {
            Narrowing::School(value) => {
                let mut groups = self.channel.groups.iter();
                let school = groups.find(|one| is(value, (one.id, &one.alias, &one.name)))?;
                let title = format!("{} {}", school.name, school.nickname).trim().to_owned();
                (title, String::new(), link("group", &school.alias, &school.name), school.images.first())
            }
            Narrowing::Team(value) => {
                let mut teams = self.channel.participants.iter();
                let team = teams.find(|one| is(value, (one.id, &one.alias, &one.name)))?;
                let canonical = link("participant", &team.alias, &team.name);
                (team.name.clone(), self.team_kind(team), canonical, team.images.first())
            }
            Narrowing::Sport(value) => {
                let mut sports = self.channel.categories.tree().iter();
                let sport = sports.find(|one| is(value, (one.id, &one.alias, &one.name)))?;
                (sport.name.clone(), String::new(), link("sport", &sport.alias, &sport.name), None)
            }
            Narrowing::Division(value) => {
                let path = path_to(self.channel.categories.tree(), value);
                let last = path.last()?;
                let names: Vec<&str> = path.iter().map(|one| one.name.as_str()).collect();
                (title_of(&names), String::new(), link("division", &last.alias, &last.id.to_string()), None)
            }
        };
        let subject =
            if kind.is_empty() { title.clone() } else { format!("{}, {}", isolated(&kind), isolated(&title)) };
        // All teams of a school have its name.
        let named = title_of(&[&title, &kind]);
        let facts = PageFacts::listed(Some(named), self.texts().about_narrowed(&subject), &canonical);
        let picture = crest.filter(|url| is_picture(url)).map(|url| (self.url(url), title));
        Some(PageFacts { picture, ..self.with_breadcrumbs(facts) })
    }

    /// A team's sport, such as "Women’s basketball" (`EVENT-5`).
    fn team_kind(&self, team: &Participant) -> String {
        let of = |key: &str| team.properties.get(key).map(String::as_str).unwrap_or_default();
        let sport = self.channel.categories.tree().iter().find(|one| !one.sport.is_empty() && one.sport == of("sport"));
        let Some(sport) = sport else { return String::new() };
        self.texts().kind(&sport.name, Some(of("gender")))
    }
}

fn link(key: &str, alias: &str, other: &str) -> String {
    let value = if alias.is_empty() { other } else { alias };
    format!("/?{key}={}", utf8_percent_encode(value, VALUE))
}

/// The paths of all filtered home pages.
pub(super) fn paths(channel: &ChannelSnapshot) -> impl Iterator<Item = String> + '_ {
    let schools = channel.groups.iter().map(|school| link("group", &school.alias, &school.name));
    let teams = channel.participants.iter().map(|team| link("participant", &team.alias, &team.name));
    let sports = channel.categories.tree().iter();
    let sports = sports.flat_map(|sport| {
        let mut all = vec![link("sport", &sport.alias, &sport.name)];
        let mut open: Vec<_> = sport.children.iter().collect();
        while let Some(division) = open.pop() {
            all.push(link("division", &division.alias, &division.id.to_string()));
            open.extend(&division.children);
        }
        all
    });
    schools.chain(teams).chain(sports)
}

/// The path from a sport to the category with this alias or id; empty if there is none.
fn path_to<'a>(tree: &'a [EventCategory], value: &str) -> Vec<&'a EventCategory> {
    for one in tree {
        if one.alias == value || one.id.to_string() == value {
            return vec![one];
        }
        let below = path_to(&one.children, value);
        if !below.is_empty() {
            return [vec![one], below].concat();
        }
    }
    Vec::new()
}
