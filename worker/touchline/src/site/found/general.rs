//! Home, lists, content pages, and pages of an account.

use pulldown_cmark::{Event, Parser, TagEnd};
use serde_json::{Value, json};
use touchline_protocol::catalogue::ContentPage;

use super::structured::{breadcrumbs, list};
use super::{ICON, PageContext, PageFacts, shortened};

/// The most items in a list's structured data.
const MAX_LISTED: usize = 20;
/// The length of a description that search engines display.
pub(super) const DESCRIPTION: usize = 200;

impl PageContext<'_> {
    /// A page that is not about one thing.
    pub(super) fn general(&self, path: &str) -> PageFacts {
        let (texts, name) = (self.texts(), self.name());
        let path = format!("/{}", path.split('/').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/"));
        match path.as_str() {
            "/" => self.home(),
            "/upcoming" | "/schedule" | "/live" | "/vod" => {
                let title = match path.as_str() {
                    "/upcoming" => texts.upcoming,
                    "/live" => texts.live,
                    "/vod" => texts.on_demand,
                    _ => texts.schedule,
                };
                let facts = PageFacts::listed(Some(title.to_owned()), texts.about_schedule(name), "/upcoming");
                let first = self.channel.events.partition_point(|event| event.ends_at() <= self.now_s);
                let open = self.channel.events[first.min(self.channel.events.len())..].iter();
                let open = open.filter(|event| !self.is_closed(event)).take(MAX_LISTED);
                let items = open.map(|event| (self.url(&format!("/watch/{}", event.id)), self.event_title(event)));
                self.with_list(facts, items.collect())
            }
            "/vod_library" => {
                let facts =
                    PageFacts::listed(Some(texts.library.to_owned()), texts.about_library(name), "/vod_library");
                let is_blocked = self.channel.is_geo_blocked(self.country);
                let open = self.channel.vod.iter().filter(|_| !is_blocked).take(MAX_LISTED);
                let items = open.map(|video| (self.url(&format!("/vod_library/{}", video.id)), video.title.clone()));
                self.with_list(facts, items.collect())
            }
            "/packages" => self.with_breadcrumbs(PageFacts::listed(
                Some(texts.packages.to_owned()),
                texts.about_packages(name),
                &path,
            )),
            "/passes" => {
                self.with_breadcrumbs(PageFacts::listed(Some(texts.passes.to_owned()), texts.about_passes(name), &path))
            }
            "/faq" => self.faq(),
            _ => match self.content_page(&path) {
                Some(page) => self.with_breadcrumbs(PageFacts::listed(
                    Some(page.name.clone()),
                    page.content
                        .as_deref()
                        .map_or_else(|| texts.about_channel(name), |content| shortened(&plain(content), DESCRIPTION)),
                    &page.url,
                )),
                None => PageFacts::private(self.private_title(&path), texts.about_channel(name)),
            },
        }
    }

    fn content_page(&self, path: &str) -> Option<&ContentPage> {
        let decoded = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
        self.channel.pages.iter().find(|page| page.url.trim_end_matches('/') == decoded)
    }

    /// The title of an account page, where it is the same for everyone.
    fn private_title(&self, path: &str) -> Option<String> {
        let texts = self.texts();
        let title = match path.split('/').nth(1) {
            Some("login" | "auth") => texts.login,
            Some("registration") => texts.register,
            Some("profile") => texts.profile,
            _ => return None,
        };
        Some(title.to_owned())
    }

    fn home(&self) -> PageFacts {
        let facts = PageFacts::listed(None, self.texts().about_channel(self.name()), "/");
        let logo = Some(&self.channel.settings.logo).filter(|logo| !logo.is_empty()).map(|logo| self.url(logo));
        let organization = json!({
            "@context": "https://schema.org", "@type": "Organization", "@id": format!("{}/#organization", self.site),
            "name": self.name(), "url": self.url("/"),
            "logo": logo.unwrap_or_else(|| self.url(ICON)),
        });
        let site = json!({
            "@context": "https://schema.org", "@type": "WebSite", "name": self.name(),
            "alternateName": self.channel.settings.short_name, "url": self.url("/"), "inLanguage": self.language,
            "publisher": { "@id": format!("{}/#organization", self.site) },
        });
        PageFacts { structured: vec![organization, site], ..facts }
    }

    fn faq(&self) -> PageFacts {
        let texts = self.texts();
        let facts = PageFacts::listed(Some(texts.faq.to_owned()), texts.about_faq(self.name()), "/faq");
        let questions: Vec<Value> = self
            .channel
            .faq
            .iter()
            .map(|entry| {
                json!({
                    "@type": "Question", "name": entry.question,
                    "acceptedAnswer": { "@type": "Answer", "text": plain(&entry.answer) },
                })
            })
            .collect();
        let mut facts = self.with_breadcrumbs(facts);
        if !questions.is_empty() {
            facts
                .structured
                .push(json!({ "@context": "https://schema.org", "@type": "FAQPage", "mainEntity": questions }));
        }
        facts
    }

    fn with_list(&self, facts: PageFacts, items: Vec<(String, String)>) -> PageFacts {
        let mut facts = self.with_breadcrumbs(facts);
        if !items.is_empty() {
            facts.structured.push(list(&items));
        }
        facts
    }

    /// Adds breadcrumbs that lead from the home page.
    pub(super) fn with_breadcrumbs(&self, facts: PageFacts) -> PageFacts {
        let title = facts.title.clone().unwrap_or_default();
        let trail = breadcrumbs(&[
            (self.texts().home.to_owned(), self.url("/")),
            (title, self.url(facts.canonical.as_deref().unwrap_or("/"))),
        ]);
        PageFacts { structured: vec![trail], ..facts }
    }
}

/// The text of Markdown, without its markup.
fn plain(markdown: &str) -> String {
    let mut text = String::new();
    for event in Parser::new(markdown) {
        match event {
            Event::Text(texts) | Event::Code(texts) => text.push_str(&texts),
            Event::SoftBreak | Event::HardBreak => text.push(' '),
            // A heading alone is not a sentence.
            Event::End(TagEnd::Heading(_)) => text.push_str(": "),
            Event::End(TagEnd::Paragraph | TagEnd::Item) => text.push(' '),
            _ => {}
        }
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_have_no_markup() {
        let text =
            "## The Finals\nPlayed at the [Kestrel Fieldhouse](/about).\n\nAsk *help_desk@north.example* or\n`us`.";
        assert_eq!(plain(text), "The Finals: Played at the Kestrel Fieldhouse. Ask help_desk@north.example or us.");
    }
}
