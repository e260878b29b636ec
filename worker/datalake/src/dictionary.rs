//! `docs/datalake.md`, written from the schema.

/// The data dictionary as Markdown.
pub fn dictionary() -> String {
    String::new()
}
