//! Delays the site's scripts until the first screen is painted, at most half a second, so that pictures and style
//! sheets do not compete with them (`FAST-10`). A page without a first screen, in the background or with a service
//! worker starts them immediately. An installation prompt that arrives before the scripts waits for them (`PWA-2`). A
//! page with a first screen also stores its address for the next page, in case the viewer leaves before the site's
//! script has recorded it (`NAV-10`). A frame that its page denies an origin cannot load the scripts: it shows a
//! sentence and a link to its event instead, never to another host (`ROUTE-3`).

use std::sync::LazyLock;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

use crate::pages::escaped;

/// The only inline script; the page's policy allows it by its hash.
static SCRIPT: LazyLock<String> = LazyLock::new(|| include_str!("start.js").lines().map(str::trim_start).collect());
/// Its hash for the policy.
pub(super) static HASH: LazyLock<String> =
    LazyLock::new(|| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(SCRIPT.as_bytes()))));

const MODULE_SCRIPT: (&str, &str) = ("<script type=\"module\" crossorigin src=\"", "\"></script>");
const END: &str = "</body>";

/// A link to a script that is fetched when the scripts start.
pub(super) fn later_link(file: &str) -> String {
    format!("<link rel=\"later\" crossorigin href=\"/{}\">", escaped(file))
}

/// The built page, with its scripts delayed.
pub(super) fn delay_scripts(index: &str) -> String {
    let (mut page, mut rest) = (String::with_capacity(index.len() + SCRIPT.len()), index);
    while let Some((before, (address, after))) =
        rest.split_once(MODULE_SCRIPT.0).and_then(|(before, tag)| Some((before, tag.split_once(MODULE_SCRIPT.1)?)))
    {
        page.push_str(&format!("{before}<link rel=\"later\" data-runs crossorigin href=\"{address}\">"));
        rest = after;
    }
    page.push_str(rest);
    page.replacen(END, &format!("<script>{}</script>{END}", *SCRIPT), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_built_page_links_its_scripts_without_running_them() {
        let index = "<head><script type=\"module\" crossorigin src=\"/assets/run.js\"></script>\n<script type=\"module\" \
                     crossorigin src=\"/assets/site.js\"></script></head><body><div id=\"root\"></div></body>";
        let page = delay_scripts(index);
        assert!(!page.contains("type=\"module\""), "{page}");
        for file in ["run", "site"] {
            assert!(page.contains(&format!("<link rel=\"later\" data-runs crossorigin href=\"/assets/{file}.js\">")));
        }
        let script = page.split("<script>").nth(1).unwrap().split("</script>").next().unwrap();
        let hash = BASE64_STANDARD.encode(Sha256::digest(script.as_bytes()));
        assert_eq!(*HASH, format!("'sha256-{hash}'"));
        assert!(page.ends_with("</script></body>"), "{page}");
    }
}
