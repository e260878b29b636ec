//! Elements of a page's head.

use touchline_protocol::catalogue::LANGUAGES;
use touchline_protocol::isolated::isolated;

use super::events::picture_type;
use super::{ICON, PageContext, PageFacts};
use crate::pages::escaped;
use crate::site::shell::json_in_html;

/// The title and metadata as head elements, for a page requested at `path`.
pub(in crate::site) fn head(context: &PageContext<'_>, facts: &PageFacts, path: &str) -> String {
    let name = context.name();
    let title = match &facts.title {
        Some(title) => format!("{} · {}", isolated(title), isolated(name)),
        None => name.to_owned(),
    };
    let mut tags = format!("<title>{}</title>", escaped(&title));
    let mut tag = |kind: &str, key: &str, content: &str| {
        tags.push_str(&format!("<meta {kind}=\"{key}\" content=\"{}\">", escaped(content)));
    };
    tag("name", "description", &facts.description);
    if facts.canonical.is_none() {
        tag("name", "robots", "noindex");
    }
    let url = context.url(&with_language(context, facts.canonical.as_deref().unwrap_or(path), context.language));
    let fallback = (context.url(ICON), name.to_owned());
    let (picture, alt) = facts.picture.as_ref().unwrap_or(&fallback);
    for (key, content) in [
        ("og:site_name", name),
        ("og:type", facts.kind),
        ("og:title", facts.title.as_deref().unwrap_or(name)),
        ("og:description", &facts.description),
        ("og:url", &url),
        ("og:locale", if context.language == "fr" { "fr_CA" } else { "en_US" }),
        ("og:image", picture),
        ("og:image:alt", alt),
    ] {
        tag("property", key, content);
    }
    // With its type and size, a preview shows the picture on the first share.
    let size = context.picture_size(picture);
    for (key, content) in [
        ("og:image:type", picture_type(picture).map(str::to_owned)),
        ("og:image:width", size.map(|(width, _)| width.to_string())),
        ("og:image:height", size.map(|(_, height)| height.to_string())),
    ] {
        if let Some(content) = content {
            tag("property", key, &content);
        }
    }
    let has_photo = facts.picture.as_ref().is_some_and(|(url, _)| !url.ends_with(ICON));
    tag("name", "twitter:card", if has_photo { "summary_large_image" } else { "summary" });
    if let Some(canonical) = &facts.canonical {
        tags.push_str(&format!("<link rel=\"canonical\" href=\"{}\">", escaped(&url)));
        let mut alternate = |name: &str, language: &str| {
            let href = context.url(&with_language(context, canonical, language));
            tags.push_str(&format!("<link rel=\"alternate\" hreflang=\"{name}\" href=\"{}\">", escaped(&href)));
        };
        for language in LANGUAGES {
            alternate(language, language);
        }
        alternate("x-default", &context.channel.settings.language);
    }
    for object in &facts.structured {
        tags.push_str(&format!("<script type=\"application/ld+json\">{}</script>", json_in_html(object)));
    }
    tags
}

/// A path in a language; the channel's default language needs no parameter.
fn with_language(context: &PageContext<'_>, path: &str, language: &str) -> String {
    if language == context.channel.settings.language {
        return path.to_owned();
    }
    let mark = if path.contains('?') { '&' } else { '?' };
    format!("{path}{mark}lang={language}")
}
