//! The files that a page's screen is made of, from the manifest that the site's build left: the page names them, so that a
//! browser fetches them with the site's own script and not after it (`FAST-2`).

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::routes::{self, Subject};
use super::start;
use crate::pages::escaped;

/// What the build says of one file's source.
#[derive(Debug, Deserialize)]
struct Chunk {
    file: String,
    #[serde(default)]
    imports: Vec<String>,
    #[serde(default)]
    css: Vec<String>,
}

/// What the build made, by source.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub(super) struct Chunks(BTreeMap<String, Chunk>);

/// The source that the page begins with.
const ENTRY: &str = "index.html";
const FONT: &str = ".woff2";

impl Chunks {
    /// Of `.vite/manifest.json`. A build without one names nothing ahead.
    pub(super) fn read(manifest: Option<&str>) -> Self {
        manifest.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// The elements of the head that name the scripts of the screen at `path`, and the font.
    pub(super) fn links(&self, path: &str, language: &str) -> String {
        let texts = format!("src/i18n/{language}/rest.ts");
        let own = self.reached([ENTRY]).0;
        let files = screen_of(path).map(|screen| self.reached([screen, &texts]).0).unwrap_or_default();
        let mut links = String::new();
        for font in self.0.values().map(|chunk| &chunk.file).filter(|file| file.ends_with(FONT)) {
            links.push_str(&format!(
                "<link rel=\"preload\" as=\"font\" type=\"font/woff2\" crossorigin href=\"/{}\">",
                escaped(font)
            ));
        }
        for file in files.difference(&own) {
            links.push_str(&start::fetched_later(file));
        }
        links
    }

    /// The elements that name the style sheets of the screen at `path`. They come after the site's own, as where the screen is
    /// reached within the site: what both say of an element, the screen decides.
    pub(super) fn styles(&self, path: &str) -> String {
        let own = self.reached([ENTRY]).1;
        let styles = screen_of(path).map(|screen| self.reached([screen]).1).unwrap_or_default();
        let link = |style: &&str| format!("<link rel=\"stylesheet\" crossorigin href=\"/{}\">", escaped(style));
        styles.difference(&own).map(link).collect()
    }

    /// The scripts and styles that some sources need, with what they import.
    fn reached<'a>(&'a self, sources: impl IntoIterator<Item = &'a str>) -> (BTreeSet<&'a str>, BTreeSet<&'a str>) {
        let (mut files, mut styles) = (BTreeSet::new(), BTreeSet::new());
        let mut open: Vec<&str> = sources.into_iter().collect();
        while let Some(chunk) = open.pop().and_then(|source| self.0.get(source)) {
            if files.insert(chunk.file.as_str()) {
                styles.extend(chunk.css.iter().map(String::as_str));
                open.extend(chunk.imports.iter().map(String::as_str));
            }
        }
        (files, styles)
    }
}

/// The source of the screen at a path; nothing for the home page, whose screen is the site's own script.
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
    fn a_page_names_the_files_of_its_own_screen_and_none_twice() {
        let manifest = r#"{
            "index.html": { "file": "assets/site.js", "css": ["assets/site.css"], "imports": ["_run.js"] },
            "_run.js": { "file": "assets/run.js" },
            "_shared.js": { "file": "assets/shared.js", "css": ["assets/shared.css"], "imports": ["_run.js", "index.html"] },
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
            ["font.woff2", "Watch.js", "rest-fr.js", "shared.js"].map(|name| format!("assets/{name}"))
        );
        assert_eq!(named(&chunks.styles("/watch/7")), ["assets/Watch.css", "assets/shared.css"]);
        assert_eq!(chunks.styles("/"), "");
        assert_eq!(named(&home), ["assets/font.woff2"]);
        assert_eq!(Chunks::read(None).links("/watch/7", "fr"), "");
        assert_eq!(Chunks::read(Some("not json")).links("/", "en"), "");
    }

    /// A screen that is moved is named here as well.
    #[test]
    fn every_screen_that_is_named_is_there() {
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
