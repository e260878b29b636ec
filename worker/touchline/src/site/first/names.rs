use touchline_channel::catalogue::EventRecord;

use crate::pages::escaped;

/// The characters per side beyond which a title gets the smaller size, as in `FixtureName.tsx`.
const LONG: usize = 12;

/// A name from data, isolated from the text around it (`EVENT-9`).
pub(super) fn name(text: &str) -> String {
    format!("<bdi>{}</bdi>", escaped(text))
}

/// The title as in `FixtureName.tsx`, and whether it is long.
pub(super) fn title_of(event: &EventRecord) -> (String, bool) {
    match crate::site::found::teams(event) {
        Some((away, home)) => {
            let title = format!(
                "{} <span class=\"fixture-name__home\"><span class=\"fixture-name__at\">@</span> {}</span>",
                name(&away.short_name),
                name(&home.short_name)
            );
            let longest = away.short_name.chars().count().max(home.short_name.chars().count());
            (title, longest > LONG)
        }
        None => plain_title(&event.name),
    }
}

pub(super) fn plain_title(title: &str) -> (String, bool) {
    (name(title), title.chars().count() > 2 * LONG)
}
