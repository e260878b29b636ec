//! `/docs`: the API reference, rendered from the OpenAPI document.

mod markdown;

use std::sync::LazyLock;

use axum::http::header;
use axum::response::{IntoResponse, Response};
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use super::escaped;

const DOCUMENT: &str = include_str!("../../../../docs/openapi.json");

static BODY: LazyLock<String> = LazyLock::new(|| rendered(&MARKDOWN));
static MARKDOWN: LazyLock<String> = LazyLock::new(|| {
    // The document is embedded, and a test renders it.
    serde_json::from_str(DOCUMENT).map(|document| markdown::markdown(&document)).unwrap_or_default()
});

pub(super) async fn page() -> Response {
    super::page("Touchline: API reference", &BODY, "no-cache")
}

pub(super) async fn document() -> Response {
    ([(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-cache")], DOCUMENT).into_response()
}

/// Renders Markdown as HTML, with an anchor on each heading and a table of contents of the second level.
fn rendered(markdown: &str) -> String {
    let mut events: Vec<Event<'_>> = Parser::new_ext(markdown, Options::ENABLE_TABLES).map(without_html).collect();
    let mut parts = Vec::new();
    for start in 0..events.len() {
        let Event::Start(Tag::Heading { level, .. }) = &events[start] else { continue };
        let level = *level;
        let text = text_of(&events[start..]);
        let anchor = anchor(&text);
        if level == HeadingLevel::H2 {
            parts.push(format!("<li><a href=\"#{}\">{}</a></li>", escaped(&anchor), escaped(&text)));
        }
        if let Event::Start(Tag::Heading { id, .. }) = &mut events[start] {
            *id = Some(anchor.into());
        }
    }
    let mut body =
        format!("<nav><ul>{}</ul><p><a href=\"/docs/openapi.json\">openapi.json</a></p></nav>", parts.concat());
    html::push_html(&mut body, events.into_iter());
    body
}

/// Treats raw HTML as text.
fn without_html(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        other => other,
    }
}

fn text_of(heading: &[Event<'_>]) -> String {
    let heading_events = heading.iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
    heading_events
        .filter_map(|event| if let Event::Text(text) | Event::Code(text) = event { Some(&**text) } else { None })
        .collect()
}

/// An anchor as on GitHub: lower case, words joined by hyphens, no punctuation.
fn anchor(text: &str) -> String {
    let characters = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    characters.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_link_on_the_page_has_a_target() {
        let named: BTreeSet<&str> = BODY.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        let links = BODY.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next());
        let (mut count, mut broken) = (0, Vec::new());
        for link in links {
            count += 1;
            if !named.contains(link) {
                broken.push(link);
            }
        }
        assert!(count > 100 && broken.is_empty(), "{count}: {broken:?}");
        assert!(BODY.contains("<table>") && BODY.contains("/api/clips/user"));
    }

    #[test]
    fn calls_list_parameters_responses_and_examples_and_schemas_list_fields() {
        for part in [
            "### GET `/api/settings`\n",
            "| `api_key` | query | string (0 to 128 characters) | The API key. |\n",
            "- 200: [Data_Settings](#data_settings)\n- 304: not modified\n- 400: invalid API key",
            "\n```json\n{\n  \"data\": {\n    \"name\": \"Northfield Sports Network\",\n",
            "### Card\n\nA saved card.\n\n| field | type | |\n|---|---|---|\n| `id` | string | Unique identifier, used as `payment_method_id`. |\n",
        ] {
            assert!(MARKDOWN.contains(part), "{part}");
        }
        assert!(!MARKDOWN.contains("- 429:"));
    }

    #[test]
    fn html_in_markdown_is_escaped() {
        let body = rendered("# A\n\n<script>alert(1)</script>\n\nx <b>y</b>\n");
        assert!(!body.contains("<script") && !body.contains("<b>"), "{body}");
    }
}
