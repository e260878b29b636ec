//! Icons of buttons and controls, as in the site's `icons.ts`.

pub(super) const PLAY: &str = "<svg class=\"icon icon--medium icon--filled\" viewBox=\"0 0 24 24\" aria-hidden=\"true\"><path d=\"M7 4.500v15l12-7.500z\"></path></svg>";
pub(super) const SEARCH: &str = "M4.500 11a6.500 6.500 0 1 0 13 0a6.500 6.500 0 1 0-13 0M16 16l4.500 4.500";
pub(super) const CALENDAR: &str = "M4 6h16v14H4zM4 10.500h16M8.500 3.500V8M15.500 3.500V8";
pub(super) const BACK: &str = "M14.500 5.500L8 12l6.500 6.500";
pub(super) const ON: &str = "M9.500 5.500L16 12l-6.500 6.500";
pub(super) const DOWN: &str = "M5.500 9.500L12 16l6.500-6.500";
pub(super) const FILTERS: &str = "M4 7h16M7 12h10M10 17h4";
pub(super) const ROWS: &str = "M4 6.500h16M4 12h16M4 17.500h16";
pub(super) const CARDS: &str = "M4 4.500h6.500V11H4zM13.500 4.500H20V11h-6.500zM4 14h6.500v6H4zM13.500 14H20v6h-6.500z";

pub(super) fn small(path: &str) -> String {
    icon("small", path)
}

pub(super) fn medium(path: &str) -> String {
    icon("medium", path)
}

fn icon(size: &str, path: &str) -> String {
    format!(
        "<svg class=\"icon icon--{size}\" viewBox=\"0 0 24 24\" aria-hidden=\"true\"><path d=\"{path}\"></path></svg>"
    )
}
