//! The shell: the built `index.html`, rendered for one channel. It contains nothing about any viewer.

use touchline_protocol::catalogue::Settings;

use super::branding::{Branding, Public};
use super::start;
use super::texts::Texts;
use crate::pages::escaped;

const HTML: &str = "<html lang=\"en\" data-scheme=\"dark\">";
const TITLE: &str = "<title>Touchline</title>";
const HEAD: &str = "<!--touchline-head-->";
const ROOT: &str = "<div id=\"root\"></div>";
const END_OF_HEAD: &str = "</head>";

#[derive(Debug, Clone, thiserror::Error, PartialEq, Eq)]
pub(crate) enum ShellError {
    #[error("the site is not built: run `npm --prefix web run build`")]
    NotBuilt,
    /// Not the page that this worker expects.
    #[error("web/dist/index.html has no {0}: rebuild the site")]
    MissingMarker(&'static str),
}

/// A channel's shell in one language, without a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shell {
    text: String,
    title: String,
}

impl Shell {
    pub(crate) fn bare(&self) -> String {
        self.page(&self.title, "", "", "")
    }

    /// Adds the head elements, the style sheets of the screen, the first screen, and the responses to its calls.
    pub(crate) fn page(&self, head: &str, styles: &str, first: &str, answers: &str) -> String {
        let text = self.text.replacen(END_OF_HEAD, &format!("{styles}{END_OF_HEAD}"), 1);
        text.replacen(TITLE, head, 1).replacen(ROOT, &format!("{first}{ROOT}{answers}"), 1)
    }
}

pub(crate) fn render(index: Option<&str>, branding: &Branding, public: &Public) -> Result<Shell, ShellError> {
    let index = index.ok_or(ShellError::NotBuilt)?;
    if let Some(missing) = [HTML, TITLE, HEAD, END_OF_HEAD, ROOT].into_iter().find(|marker| !index.contains(marker)) {
        return Err(ShellError::MissingMarker(missing));
    }
    let language = escaped(&branding.settings.language);
    let scheme = if branding.colors.scheme == "light" { "light" } else { "dark" };
    let head = [
        format!("<meta name=\"theme-color\" content=\"{}\">", escaped(&branding.colors.header_background)),
        "<link rel=\"manifest\" href=\"/manifest.webmanifest\">".to_owned(),
        "<link rel=\"icon\" type=\"image/png\" sizes=\"192x192\" href=\"/icons/192.png\">".to_owned(),
        "<link rel=\"apple-touch-icon\" href=\"/icons/180.png\">".to_owned(),
        format!("<meta name=\"apple-mobile-web-app-title\" content=\"{}\">", escaped(&branding.settings.short_name)),
        // The page's policy allows it by its hash.
        format!("<style>{}</style>", branding.style_sheet()),
        format!(
            "<script type=\"application/json\" id=\"touchline-config\">{}</script>",
            json_in_html(&branding.configuration(public))
        ),
    ]
    .concat();
    let text = start::delay_scripts(index)
        .replacen(HTML, &format!("<html lang=\"{language}\" data-scheme=\"{scheme}\">"), 1)
        .replacen(HEAD, &head, 1)
        .replacen(ROOT, &format!("{}{ROOT}{}", notices(&branding.settings), drawings(branding)), 1);
    Ok(Shell { text, title: format!("<title>{}</title>", escaped(&branding.settings.name)) })
}

/// Sentences for a browser or a frame that cannot run the site. The start script shows the second one, with the link's
/// address.
fn notices(settings: &Settings) -> String {
    let texts = Texts::of(&settings.language);
    let Texts { needs_javascript, needs_newer_browser, .. } = texts;
    let [needs_origin, watch] = texts.needs_origin(&settings.name).map(|text| escaped(&text));
    format!(
        "<noscript>{needs_javascript}</noscript><p id=\"outdated\">{needs_newer_browser}</p>\
         <p id=\"framed\" hidden>{needs_origin} <a target=\"_blank\">{watch}</a></p>"
    )
}

/// The channel's small drawings, embedded so that the site does not fetch them.
fn drawings(branding: &Branding) -> String {
    if branding.drawings.is_empty() {
        return String::new();
    }
    let drawings = json_in_html(&serde_json::json!(branding.drawings));
    format!("<script type=\"application/json\" id=\"touchline-drawings\">{drawings}</script>")
}

/// JSON for a script element, which only `</script` and `<!--` could end.
pub(super) fn json_in_html(value: &serde_json::Value) -> String {
    value.to_string().replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::tests::branding;

    const INDEX: &str = "<!doctype html><html lang=\"en\" data-scheme=\"dark\"><head><title>Touchline</title><!--touchline-head--></head><body><div id=\"root\"></div></body></html>";
    const PUBLIC: Public = Public { analytics_allow_localhost: true, build: "b1", tls: false };

    #[test]
    fn the_shell_has_the_channels_language_title_colours_and_configuration() {
        let mut branding = branding();
        branding.settings.language = "fr".into();
        branding.colors.scheme = "light".into();
        let shell = render(Some(INDEX), &branding, &PUBLIC).unwrap().bare();
        assert!(shell.contains("<html lang=\"fr\" data-scheme=\"light\">"), "{shell}");
        assert!(shell.contains("<title>North &amp; South</title>"), "{shell}");
        assert!(shell.contains("<noscript>Ce site a besoin de JavaScript."), "{shell}");
        assert!(shell.contains("<p id=\"outdated\">Ce navigateur est trop ancien"), "{shell}");
        assert!(shell.contains("@supports (color:color-mix(in srgb,red,red)){#outdated{display:none}}"), "{shell}");
        assert!(shell.contains("<meta name=\"theme-color\" content=\"#091222\">"), "{shell}");
        let config = shell.split("id=\"touchline-config\">").nth(1).unwrap().split("</script>").next().unwrap();
        let config: serde_json::Value = serde_json::from_str(config).unwrap();
        assert_eq!((&config["channel_key"], &config["name"]), (&"north".into(), &"North & South".into()));
        assert_eq!(config["public"]["analytics_allow_localhost"], true);
        assert_eq!(config["colors"]["header-background"], "#091222");
    }

    #[test]
    fn a_name_cannot_break_out_of_the_page() {
        let mut branding = branding();
        branding.settings.name = "</script><script>alert(1)</script><!--".into();
        let shell = render(Some(INDEX), &branding, &PUBLIC).unwrap().bare();
        assert!(!shell.contains("<script>alert"), "{shell}");
        // The configuration's, and the start script's.
        assert_eq!(shell.matches("</script>").count(), 2);
        assert!(!shell.contains("<!--"));
    }

    #[test]
    fn a_missing_or_incompatible_build_is_reported() {
        assert_eq!(render(None, &branding(), &PUBLIC), Err(ShellError::NotBuilt));
        let other = INDEX.replace(HEAD, "");
        assert_eq!(render(Some(&other), &branding(), &PUBLIC), Err(ShellError::MissingMarker(HEAD)));
    }
}
