//! What a page says of itself to whoever finds it by its link (`FOUND`): search engines, and those that show a card of a
//! shared link. Everything here is made from the channel's own records, the same for every visitor of one country.
//!
//! | module | what |
//! |---|---|
//! | [`general`] | home, lists, the channel's own pages |
//! | [`narrowed`] | home of one school, team, sport or division |
//! | [`events`], [`videos`] | one event, one video, one package, one shared clip |
//! | [`structured`] | schema.org's objects |
//! | [`tags`] | the elements of the page's head |
//! | [`sitemap`] | `sitemap.xml` and `robots.txt` |

mod events;
mod general;
mod narrowed;
pub(super) mod sitemap;
mod structured;
mod tags;
mod videos;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::Value;
use touchline_channel::catalogue::ChannelSnapshot;

pub(super) use events::teams;
pub(super) use tags::head;

use super::routes::{self, Subject};
use super::words::Words;

/// What of a path is written as `%20` is; a `%` that stands there is of the operator's own encoding.
const PATH: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`').add(b'{').add(b'}').add(b'\\');

/// For whom, and of what, a page is described.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asking<'a> {
    pub(crate) channel: &'a ChannelSnapshot,
    /// The site's address, without a last slash: `https://tv.example`.
    pub(crate) site: &'a str,
    /// `en` or `fr`.
    pub(crate) language: &'a str,
    /// ISO 3166-1 alpha-2, upper case; absent when unknown.
    pub(crate) country: Option<&'a str>,
    /// Unix seconds.
    pub(crate) now_s: i64,
}

/// Whether what a page is of is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    There,
    /// It was, and its operator took it away.
    Gone,
    Missing,
}

/// What a page says of itself.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PageFacts {
    pub(crate) standing: Standing,
    /// Without the channel's name, which follows it; absent for the home page.
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    /// The one path that it is known by; absent where no search engine may list it.
    pub(crate) canonical: Option<String>,
    /// The address of a picture, and what it shows.
    pub(crate) picture: Option<(String, String)>,
    /// Open Graph's name for what it is.
    pub(crate) kind: &'static str,
    /// Schema.org's objects.
    pub(crate) structured: Vec<Value>,
}

impl PageFacts {
    /// A page without anything that others may list.
    fn private(title: Option<String>, description: String) -> Self {
        Self {
            standing: Standing::There,
            title,
            description,
            canonical: None,
            picture: None,
            kind: "website",
            structured: Vec::new(),
        }
    }

    fn listed(title: Option<String>, description: String, canonical: &str) -> Self {
        Self { canonical: Some(canonical.to_owned()), ..Self::private(title, description) }
    }
}

impl Asking<'_> {
    fn words(&self) -> &'static Words {
        Words::of(self.language)
    }

    /// What the first screen says, in the site's own words.
    pub(super) fn shown_words(&self) -> &'static Words {
        self.words()
    }

    /// The name of the schedule's page.
    pub(super) fn schedule_title(&self) -> &'static str {
        self.words().schedule
    }

    /// The name of the library's page.
    pub(super) fn library_title(&self) -> &'static str {
        self.words().library
    }

    /// The whole address of a path of the site, in letters that every reader takes; an address elsewhere stays.
    fn url(&self, path: &str) -> String {
        if path.starts_with('/') {
            format!("{}{}", self.site, utf8_percent_encode(path, PATH))
        } else {
            path.to_owned()
        }
    }

    /// The page at `path`, but for a clip, of which the store alone knows.
    pub(crate) fn page(&self, path: &str) -> PageFacts {
        let content_pages = self.channel.pages.iter().map(|page| page.url.as_str());
        if !routes::is_page(path, content_pages) {
            return self.missing();
        }
        match routes::subject_of(path) {
            Some(Subject::Event(id)) => self.channel.event(id).map(|event| self.event(event, path)),
            Some(Subject::Video(id)) => self.channel.video(id).map(|video| self.video(video)),
            Some(Subject::Package(id)) => self.channel.package(id).map(|package| self.package(package)),
            Some(Subject::SharedClip { .. }) => None,
            Some(Subject::Clip(_)) | None => Some(self.general(path)),
        }
        .unwrap_or_else(|| self.missing())
    }

    /// Whether the channel's records name what a page is of; a shared clip is in none of them.
    pub(crate) fn has(&self, subject: Subject<'_>) -> bool {
        match subject {
            Subject::Event(id) => self.channel.event(id).is_some(),
            Subject::Video(id) => self.channel.video(id).is_some(),
            Subject::Package(id) => self.channel.package(id).is_some(),
            Subject::SharedClip { .. } | Subject::Clip(_) => false,
        }
    }

    /// A page that is not there.
    pub(crate) fn missing(&self) -> PageFacts {
        let words = self.words();
        let facts = PageFacts::private(Some(words.lost.to_owned()), words.about_channel(self.name()));
        PageFacts { standing: Standing::Missing, ..facts }
    }

    /// A page of something that the operator took away.
    pub(crate) fn gone(&self) -> PageFacts {
        PageFacts { standing: Standing::Gone, ..self.missing() }
    }

    /// A page of something of which nobody can tell at the moment.
    pub(crate) fn unknown(&self) -> PageFacts {
        self.closed()
    }

    /// A page of something that is closed to where whoever asks is: it says nothing of it.
    fn closed(&self) -> PageFacts {
        PageFacts::private(None, self.words().about_channel(self.name()))
    }

    fn name(&self) -> &str {
        &self.channel.settings.name
    }
}

/// The parts of a title, of which some may be empty.
fn title_of(parts: &[&str]) -> String {
    parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(" · ")
}

/// The first characters of a text on one line, cut between words.
fn shortened(text: &str, most: usize) -> String {
    let mut short = String::new();
    let mut words = text.split_whitespace();
    for word in words.by_ref() {
        if short.chars().count() + word.chars().count() + 2 > most {
            return short + "…";
        }
        if !short.is_empty() {
            short.push(' ');
        }
        short.push_str(word);
    }
    short
}
