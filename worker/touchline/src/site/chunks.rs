//! The files of each page's screen, from the manifest of the site's build. A page links to them, so that a browser
//! fetches them together with the site's script instead of after it (`FAST-2`).

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::routes::{self, Subject};
use super::start;
use crate::pages::escaped;

/// An entry of the manifest.
#[derive(Debug, Deserialize)]
struct Chunk {
    file: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    imports: Vec<String>,
    #[serde(default)]
    css: Vec<String>,
}

/// The manifest, by source file.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub(super) struct Chunks(BTreeMap<String, Chunk>);

/// The name of the chunk that every page loads, set in `web/vite.config.ts`.
const FIRST_PAGE: &str = "site";
const FONT: &str = ".woff2";

impl Chunks {
    /// Parses `.vite/manifest.json`. Without it, nothing is preloaded.
    pub(super) fn read(manifest: Option<&str>) -> Self {
        manifest.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// Head elements that preload the font and the scripts of the screen at `path`.
    pub(super) fn links(&self, path: &str, language: &str) -> String {
        let texts = format!("src/i18n/{language}/rest.ts");
        let first_files = self.first_page_files().files;
        let files = screen_of(path).map(|screen| self.files_of([screen, &texts]).files).unwrap_or_default();
        let mut links = String::new();
        for font in self.0.values().map(|chunk| &chunk.file).filter(|file| file.ends_with(FONT)) {
            links.push_str(&format!(
                "<link rel=\"preload\" as=\"font\" type=\"font/woff2\" crossorigin href=\"/{}\">",
                escaped(font)
            ));
        }
        for file in files.iter().filter(|file| !first_files.contains(file)) {
            links.push_str(&start::later_link(file));
        }
        links
    }

    /// Head elements with the style sheets of the screen at `path`. They follow the site's own, as they do in
    /// client-side navigation, so that the screen's rules win.
    pub(super) fn styles(&self, path: &str) -> String {
        let first_files = self.first_page_files().styles;
        let styles = screen_of(path).map(|screen| self.files_of([screen]).styles).unwrap_or_default();
        let link = |style: &&str| format!("<link rel=\"stylesheet\" crossorigin href=\"/{}\">", escaped(style));
        styles.iter().filter(|style| !first_files.contains(style)).map(link).collect()
    }

    fn first_page_files(&self) -> PageFiles<'_> {
        let sources = self.0.iter().filter(|(_, chunk)| chunk.name == FIRST_PAGE).map(|(source, _)| source.as_str());
        self.files_of(sources)
    }

    /// The files of some sources and of all their imports.
    fn files_of<'a>(&'a self, sources: impl IntoIterator<Item = &'a str>) -> PageFiles<'a> {
        let mut needed = PageFiles::default();
        sources.into_iter().for_each(|source| self.add(source, &mut needed));
        needed
    }

    fn add<'a>(&'a self, source: &str, needed: &mut PageFiles<'a>) {
        let Some(chunk) = self.0.get(source).filter(|chunk| needed.visited.insert(chunk.file.as_str())) else { return };
        chunk.imports.iter().for_each(|import| self.add(import, needed));
        needed.files.push(&chunk.file);
        let styles = chunk.css.iter().map(String::as_str);
        needed.styles.extend(styles.filter(|style| !needed.styles.contains(style)).collect::<Vec<_>>());
    }
}

/// Scripts and style sheets, each after its imports, in the order that a browser would apply them.
#[derive(Default)]
struct PageFiles<'a> {
    visited: BTreeSet<&'a str>,
    files: Vec<&'a str>,
    styles: Vec<&'a str>,
}

/// The source of the screen at a path; `None` for the home page, whose screen is in the site's own script.
fn screen_of(path: &str) -> Option<&'static str> {
    let mut segments = path.split('/').filter(|segment| !segment.is_empty());
    Some(match (routes::subject_of(path), segments.next()?) {
        (Some(Subject::Event(_)), "watch") => "src/screens/watch/Watch.tsx",
        (Some(Subject::Video(_)), _) => "src/screens/library/VodItem.tsx",
        (Some(Subject::Package(_)), _) => "src/screens/packages/SelectPackage.tsx",
        (Some(Subject::SharedClip { .. }), _) => "src/screens/library/SharedClip.tsx",
        (_, "upcoming" | "schedule" | "live" | "vod") => "src/screens/events/Events.tsx",
        (_, "vod_library") => "src/screens/library/Library.tsx",
        (_, "packages" | "passes") => "src/screens/packages/Packages.tsx",
        (_, "faq") => "src/screens/info/Faq.tsx",
        (_, "about" | "contacts" | "privacy_policy" | "terms_conditions") => "src/screens/info/ContentPage.tsx",
        (_, "login") => "src/screens/auth/Login.tsx",
        (_, "registration") => "src/screens/auth/Registration.tsx",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_links_the_files_of_its_screen_once_each() {
        let manifest = r#"{
            "_site.js": { "file": "assets/site.js", "name": "site", "css": ["assets/site.css"], "imports": ["_run.js"] },
            "_run.js": { "file": "assets/run.js" },
            "_shared.js": { "file": "assets/shared.js", "css": ["assets/shared.css"], "imports": ["_run.js", "_site.js"] },
            "src/screens/watch/Watch.tsx": { "file": "assets/Watch.js", "css": ["assets/Watch.css"], "imports": ["_shared.js", "_run.js"] },
            "src/i18n/fr/rest.ts": { "file": "assets/rest-fr.js" },
            "font.woff2": { "file": "assets/font.woff2" }
        }"#;
        let chunks = Chunks::read(Some(manifest));
        let named = |links: &str| {
            links.split("href=\"/").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let [watch, home] = [chunks.links("/watch/7", "fr"), chunks.links("/", "fr")];
        assert_eq!(
            named(&watch),
            ["font.woff2", "shared.js", "Watch.js", "rest-fr.js"].map(|name| format!("assets/{name}"))
        );
        assert_eq!(named(&chunks.styles("/watch/7")), ["assets/shared.css", "assets/Watch.css"]);
        assert_eq!(chunks.styles("/"), "");
        assert_eq!(named(&home), ["assets/font.woff2"]);
        assert_eq!(Chunks::read(None).links("/watch/7", "fr"), "");
        assert_eq!(Chunks::read(Some("not json")).links("/", "en"), "");
    }

    /// The build names its first page as this module expects; without a build there is nothing to compare.
    #[test]
    fn the_first_pages_files_are_found_in_the_build() {
        let web = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/dist/");
        let read = |file: &str| std::fs::read_to_string(format!("{web}{file}"));
        let (Ok(index), Ok(manifest)) = (read("index.html"), read(".vite/manifest.json")) else { return };
        let chunks = Chunks::read(Some(&manifest));
        let PageFiles { files, styles, .. } = chunks.first_page_files();
        assert!(!styles.is_empty() && files.len() > 1);
        assert!(
            files.iter().chain(&styles).all(|file| index.contains(&format!("\"/{file}\""))),
            "{files:?} {styles:?}"
        );
    }

    /// A screen that moves has to be renamed here as well.
    #[test]
    fn every_named_screen_exists() {
        let web = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/");
        for path in [
            "/watch/1",
            "/vod_library/1",
            "/select-package/1",
            "/share/1/a",
            "/upcoming",
            "/vod_library",
            "/packages",
            "/faq",
            "/about",
            "/login",
            "/registration",
        ] {
            let screen = screen_of(path).unwrap();
            assert!(std::path::Path::new(&format!("{web}{screen}")).exists(), "{path}: {screen}");
        }
    }
}
