//! Metadata of pages for search engines and link previews (`FOUND`). It comes from the channel's records and is the
//! same for every visitor in a country.
//!
//! | module | what |
//! |---|---|
//! | [`general`] | home, lists, content pages |
//! | [`narrowed`] | home filtered by school, team, sport or division |
//! | [`events`], [`videos`] | an event, a video, a package, a shared clip |
//! | [`structured`] | schema.org objects |
//! | [`tags`] | head elements |
//! | [`sitemap`] | `sitemap.xml` and `robots.txt` |

mod events;
mod general;
mod narrowed;
pub(super) mod sitemap;
mod structured;
mod tags;
mod videos;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use serde_json::Value;
use touchline_channel::catalogue::ChannelSnapshot;
use touchline_protocol::isolated::isolated;

pub(super) use events::teams;
pub(super) use tags::head;

use super::routes::{self, Subject};
use super::texts::Texts;

/// Characters of a path to percent-encode; a `%` is taken to be the operator's own encoding.
const PATH: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`').add(b'{').add(b'}').add(b'\\');

/// The channel's icon, for pages without a picture, and its width and height in pixels.
const ICON: &str = "/icons/512.png";
const ICON_PX: u32 = 512;

#[derive(Debug, Clone, Copy)]
pub(crate) struct PageContext<'a> {
    pub(crate) channel: &'a ChannelSnapshot,
    /// The site's address without a trailing slash, such as `https://tv.example`.
    pub(crate) site: &'a str,
    pub(crate) language: &'a str,
    /// ISO 3166-1 alpha-2, upper case; `None` if unknown.
    pub(crate) country: Option<&'a str>,
    /// Unix seconds.
    pub(crate) now_s: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Availability {
    Exists,
    /// The operator removed it.
    Removed,
    Missing,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PageFacts {
    pub(crate) availability: Availability,
    /// The channel's name is appended. `None` for the home page.
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    /// The canonical path; `None` for a page that search engines must not index.
    pub(crate) canonical: Option<String>,
    /// The address of a picture, and its alternative text.
    pub(crate) picture: Option<(String, String)>,
    /// The Open Graph type.
    pub(crate) kind: &'static str,
    /// Schema.org objects.
    pub(crate) structured: Vec<Value>,
}

impl PageFacts {
    /// A page that search engines must not index.
    fn private(title: Option<String>, description: String) -> Self {
        Self {
            availability: Availability::Exists,
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

impl PageContext<'_> {
    pub(super) fn texts(&self) -> &'static Texts {
        Texts::of(self.language)
    }

    pub(super) fn schedule_title(&self) -> &'static str {
        self.texts().schedule
    }

    pub(super) fn library_title(&self) -> &'static str {
        self.texts().library
    }

    /// The absolute, percent-encoded address of a path; other addresses stay unchanged.
    fn url(&self, path: &str) -> String {
        if path.starts_with('/') {
            format!("{}{}", self.site, utf8_percent_encode(path, PATH))
        } else {
            path.to_owned()
        }
    }

    /// Width and height in pixels of the picture at an absolute address, once it has been measured.
    fn picture_size(&self, url: &str) -> Option<(u32, u32)> {
        let path = url.strip_prefix(self.site)?;
        if path == ICON {
            return Some((ICON_PX, ICON_PX));
        }
        let path = percent_decode_str(path).decode_utf8().ok()?;
        self.channel.picture(&path).map(|facts| (facts.width, facts.height))
    }

    /// The page at `path`, except for shared clips, which only the store knows.
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

    /// Whether the channel's records have the subject; they never include clips.
    pub(crate) fn has(&self, subject: Subject<'_>) -> bool {
        match subject {
            Subject::Event(id) => self.channel.event(id).is_some(),
            Subject::Video(id) => self.channel.video(id).is_some(),
            Subject::Package(id) => self.channel.package(id).is_some(),
            Subject::SharedClip { .. } | Subject::Clip(_) => false,
        }
    }

    pub(crate) fn missing(&self) -> PageFacts {
        let texts = self.texts();
        let facts = PageFacts::private(Some(texts.lost.to_owned()), texts.about_channel(self.name()));
        PageFacts { availability: Availability::Missing, ..facts }
    }

    /// A page whose subject was removed by the operator.
    pub(crate) fn removed(&self) -> PageFacts {
        PageFacts { availability: Availability::Removed, ..self.missing() }
    }

    /// A page whose subject cannot be looked up at the moment.
    pub(crate) fn unknown(&self) -> PageFacts {
        self.closed()
    }

    /// A page whose subject is blocked in the visitor's country, without any details.
    fn closed(&self) -> PageFacts {
        PageFacts::private(None, self.texts().about_channel(self.name()))
    }

    fn name(&self) -> &str {
        &self.channel.settings.name
    }
}

/// Joins the parts of a title that are not empty.
fn title_of(parts: &[&str]) -> String {
    parts.iter().filter(|part| !part.is_empty()).map(|part| isolated(part)).collect::<Vec<_>>().join(" · ")
}

/// The beginning of a text on one line, cut between words.
fn shortened(text: &str, max: usize) -> String {
    let mut short = String::new();
    let mut texts = text.split_whitespace();
    for part in texts.by_ref() {
        if short.chars().count() + part.chars().count() + 2 > max {
            return short + "…";
        }
        if !short.is_empty() {
            short.push(' ');
        }
        short.push_str(part);
    }
    short
}
