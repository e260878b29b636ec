//! Pictures of cards: a photograph of the operator's, or the site's drawing without one. The parts of drawings are in
//! `posters.json`, which a test of the site compares with `Poster.tsx`; crests are as in `Crest.tsx`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use touchline_channel::catalogue::EventRecord;
use touchline_channel::catalogue::records::{MediaKind, VodRecord};
use touchline_protocol::catalogue::{Event, Participant};

use super::{Canvas, Photograph};
use crate::pages::escaped;
use crate::site::found::teams;

/// The parts of drawings. `{{…}}` is a placeholder for each drawing's values.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Posters {
    frame: String,
    figure_turn: String,
    short_figure: String,
    long_figure: String,
    floors: BTreeMap<String, Floor>,
    /// A part of a sport's name with its floor; the first match decides.
    names: Vec<(String, String)>,
}

#[derive(Debug, Default, Deserialize)]
struct Floor {
    /// The rotation of a fixture's floor, in degrees.
    turn: String,
    markings: String,
}

static POSTERS: LazyLock<Posters> =
    LazyLock::new(|| serde_json::from_str(include_str!("posters.json")).unwrap_or_default());

/// The floor of an unknown sport.
const ANY_FLOOR: &str = "track";
/// The floor of a video.
const VIDEO_FLOOR: &str = "basketball";
/// The colour of an event without teams, and of a video without a colour.
const NO_TEAM: &str = "#2d3340";
const NO_COLOUR: &str = "#1f4a8a";
/// Longer figures are drawn smaller.
const LONG: usize = 2;
/// The `sizes` of a card's photograph.
const SIZES: &str = "320px";

/// The outlines of shields, for teams without a crest.
const OUTLINES: [&str; 3] = [
    "M4 4H60V34C60 52 46 63 32 69C18 63 4 52 4 34Z",
    "M32 3L60 11V36C60 53 47 63 32 69C17 63 4 53 4 36V11Z",
    "M32 2L61 17V53L32 70L3 53V17Z",
];

pub(super) struct Picture {
    drawing: String,
    photograph: Option<Photograph>,
    /// Whether it is the leading picture of the page.
    is_leading: bool,
}

impl Picture {
    /// The poster with badges in its corners.
    pub(super) fn poster(&self, shape: &str, badges: &str) -> String {
        // The class that a script would otherwise set on load.
        let class = " class=\"poster__photo photograph--loaded\"";
        let photograph = self
            .photograph
            .as_ref()
            .map(|photograph| if self.is_leading { photograph.leading(class) } else { photograph.waiting(class) });
        let photograph = photograph.unwrap_or_default();
        format!("<div class=\"poster{shape}\">{}{photograph}{badges}</div>", self.drawing)
    }

    /// Returns its photograph, which becomes the page's leading one.
    pub(super) fn take_leading(&mut self) -> Option<Photograph> {
        self.is_leading = true;
        self.photograph.clone()
    }
}

impl Canvas<'_> {
    /// The picture of an event, as in `eventViews.ts`.
    pub(super) fn event_picture(&self, record: &EventRecord, event: &Event) -> Picture {
        let top = self.context.channel.categories.line(record.event_category_id).last();
        let top = top.and_then(|id| self.context.channel.categories.get(id));
        let sport = top.map(|node| if node.sport.is_empty() { &node.name } else { &node.sport });
        let floor = floor_of(sport.map(String::as_str).unwrap_or_default());
        let drawing = if let [away, home, ..] = sides(record)[..] {
            let turn = POSTERS.floors.get(floor).map(|floor| floor.turn.as_str()).unwrap_or_default();
            let crests = self.crest(away) + &self.crest(home);
            let drawing = self.drawing(floor, turn, (&away.color, &home.color), "");
            format!("{drawing}<div class=\"poster__crests\">{crests}</div>")
        } else {
            let color = record.participants.first().map_or(NO_TEAM, |team| team.color.as_str());
            let figure: String = record.name.chars().take(1).flat_map(char::to_uppercase).collect();
            self.figure(floor, color, &figure)
        };
        let photograph =
            event.media.iter().find(|medium| medium.kind == MediaKind::Image as u8 && medium.url.is_some());
        let photograph =
            photograph.and_then(|medium| Some(Photograph::new(medium.url.clone()?, medium.picture.clone(), SIZES)));
        Picture { drawing, photograph, is_leading: false }
    }

    /// The picture of a library video, as in `vodView.ts`.
    pub(super) fn video_picture(&self, video: &VodRecord) -> Picture {
        let initial = || initials(&video.title).chars().take(1).collect();
        let figure = if video.figure.is_empty() { initial() } else { video.figure.clone() };
        let color = if video.color.is_empty() { NO_COLOUR } else { &video.color };
        let photograph = video.assets.iter().find(|asset| asset.kind == "image" && video.figure.is_empty());
        Picture {
            drawing: self.figure(VIDEO_FLOOR, color, &figure),
            photograph: photograph.map(|asset| Photograph::new(asset.path.clone(), asset.picture.clone(), SIZES)),
            is_leading: false,
        }
    }

    /// A team's crest; small ones are embedded in the page.
    pub(super) fn crest(&self, team: &Participant) -> String {
        let name = if team.short_name.is_empty() { &team.name } else { &team.short_name };
        let Some(image) = team.images.first() else { return shield(name, &team.color) };
        let size = "alt=\"\" width=\"64\" height=\"72\"";
        match self.drawings.get(image) {
            Some(drawing) => format!("<img src=\"{}\" {size}>", escaped(drawing)),
            None => format!("<img src=\"{}\" {size} loading=\"lazy\" decoding=\"async\">", escaped(image)),
        }
    }

    /// A drawing with one large figure on one colour.
    fn figure(&self, floor: &str, color: &str, figure: &str) -> String {
        let is_long = figure.chars().count() > LONG;
        let text = if is_long { &POSTERS.long_figure } else { &POSTERS.short_figure };
        let text = text.replacen("{{figure}}", &escaped(figure), 1);
        self.drawing(floor, &POSTERS.figure_turn, (color, color), &text)
    }

    fn drawing(&self, floor: &str, turn: &str, (away, home): (&str, &str), text: &str) -> String {
        let markings = POSTERS.floors.get(floor).map(|floor| floor.markings.as_str()).unwrap_or_default();
        POSTERS
            .frame
            .replace("{{id}}", &self.next_id())
            .replacen("{{turn}}", turn, 1)
            .replacen("{{away}}", &escaped(away), 1)
            .replacen("{{home}}", &escaped(home), 1)
            .replacen("{{markings}}", markings, 1)
            .replacen("{{text}}", text, 1)
    }
}

/// The teams of an event; of two, the home team is second (`EVENT-2`).
pub(super) fn sides(event: &EventRecord) -> Vec<&Participant> {
    match teams(event) {
        Some((away, home)) => vec![away, home],
        None => event.participants.iter().collect(),
    }
}

fn floor_of(sport: &str) -> &'static str {
    let sport = sport.to_lowercase();
    let fits = |(part, _): &&(String, String)| sport.contains(part.as_str());
    POSTERS.names.iter().find(fits).map_or(ANY_FLOOR, |(_, floor)| floor.as_str())
}

/// The first letters of the first two words of a name.
fn initials(name: &str) -> String {
    let parts = name.split(|letter: char| letter.is_whitespace() || letter == '-');
    let first = parts.filter_map(|part| part.chars().next().filter(|letter| letter.is_alphabetic()));
    first.take(2).flat_map(char::to_uppercase).collect()
}

/// A shield in the team's colour with its initials.
fn shield(name: &str, color: &str) -> String {
    let sum: usize = name.chars().map(|letter| letter as usize).sum();
    let (outline, initials) = (OUTLINES[sum % OUTLINES.len()], initials(name));
    let size = if initials.chars().count() > 1 { 26 } else { 34 };
    format!(
        "<svg viewBox=\"0 0 64 72\" aria-hidden=\"true\"><path d=\"{outline}\" fill=\"#f7f4ec\"></path><path d=\"{outline}\" \
         fill=\"{}\" transform=\"translate(32 36) scale(.86) translate(-32 -36)\"></path><text x=\"32\" y=\"47\" \
         text-anchor=\"middle\" fill=\"#f7f4ec\" font-size=\"{size}\" class=\"poster__letters\">{}</text></svg>",
        escaped(color),
        escaped(&initials)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sport_has_its_floor_and_each_floor_a_drawing() {
        assert_eq!(floor_of("Women’s Basketball"), "basketball");
        assert_eq!(floor_of("Hockey"), "hockey");
        assert_eq!(floor_of("Fencing"), ANY_FLOOR);
        assert_eq!(POSTERS.floors.len(), 8);
        assert!(POSTERS.names.iter().all(|(_, floor)| POSTERS.floors.contains_key(floor)));
    }

    #[test]
    fn a_team_without_a_crest_gets_its_initials() {
        assert_eq!(initials("Saint-Jérôme des Pins"), "SJ");
        assert!(shield("Éclair", "#123456").contains(">É</text>"));
        assert!(shield("A & B", "\"><script>").contains("&quot;&gt;&lt;script&gt;"));
    }
}
