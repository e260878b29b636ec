//! A channel's name, language, colours and pages.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use touchline_channel::catalogue::{MediaHosts, Screenshot};
use touchline_protocol::catalogue::{ColorSettings, Settings};

use super::texts::Texts;

#[derive(Debug, Clone)]
pub(crate) struct Branding {
    pub(crate) key: String,
    pub(crate) settings: Settings,
    pub(crate) colors: ColorSettings,
    /// Hosts that its pages load media from.
    pub(crate) media_hosts: MediaHosts,
    /// Screenshots for the installation prompt.
    pub(crate) screenshots: Vec<Screenshot>,
    /// The paths of its content pages.
    pub(crate) pages: Vec<String>,
    /// Calls that an upstream does not offer.
    pub(crate) switched_off: Vec<String>,
    /// Its smallest drawings as data URLs, by address, which cost less than a request each.
    pub(crate) drawings: BTreeMap<String, String>,
}

/// Public facts about the worker for every page: no secrets, nothing about a viewer.
#[derive(Debug, Clone)]
pub(crate) struct Public {
    pub(crate) analytics_allow_localhost: bool,
    /// The name of this build.
    pub(crate) build: &'static str,
    /// Whether the worker terminates TLS itself.
    pub(crate) tls: bool,
}

impl Branding {
    /// The configuration embedded in the shell, also served as `/config.json`.
    pub(crate) fn configuration(&self, public: &Public) -> Value {
        json!({
            "channel_key": self.key,
            "language": self.settings.language,
            "name": self.settings.name,
            "scheme": self.colors.scheme,
            "colors": self.colors,
            "public": {
                "analytics_allow_localhost": public.analytics_allow_localhost,
                "build": public.build,
                "switched_off": self.switched_off,
            },
        })
    }

    /// `/manifest.webmanifest` (`PWA-1`).
    pub(crate) fn manifest(&self) -> Value {
        let icon = |name: &str, size: u32, purpose: &str| json!({ "src": format!("/icons/{name}.png"), "sizes": format!("{size}x{size}"), "type": "image/png", "purpose": purpose });
        let texts = Texts::of(&self.settings.language);
        let shortcut = |name: &str, url: &str| json!({ "name": name, "url": url, "icons": [icon("192", 192, "any")] });
        let screenshot = |picture: &Screenshot| {
            json!({
                "src": picture.url, "sizes": format!("{}x{}", picture.width, picture.height), "type": picture.media_type,
                "form_factor": if picture.width > picture.height { "wide" } else { "narrow" }, "label": self.settings.name,
            })
        };
        let screenshots: Vec<_> = self.screenshots.iter().map(screenshot).collect();
        json!({
            "id": "/",
            "name": self.settings.name,
            "short_name": self.settings.short_name,
            "description": self.settings.tagline,
            "lang": self.settings.language,
            "start_url": "/",
            "scope": "/",
            "display": "standalone",
            "background_color": self.colors.body_background,
            "theme_color": self.colors.header_background,
            "categories": ["sports", "entertainment"],
            "icons": [icon("192", 192, "any"), icon("512", 512, "any"), icon("maskable-512", 512, "maskable")],
            "screenshots": screenshots,
            "shortcuts": [shortcut(texts.schedule, "/upcoming"), shortcut(texts.library, "/vod_library")],
        })
    }

    /// The channel's colours and the text colour on its accent, for the first paint of each page. The site's style
    /// sheet derives the other colours from these and loads later; the doubled `:root` keeps it from overriding them.
    pub(crate) fn style_sheet(&self) -> String {
        let colors = &self.colors;
        let footer_text = colors.footer_text_color.as_ref().unwrap_or(&colors.header_text_color);
        let rules = [
            ("--header-background", &colors.header_background),
            ("--header-text-color", &colors.header_text_color),
            ("--body-background", &colors.body_background),
            ("--body-text-color", &colors.body_text_color),
            ("--footer-background", &colors.footer_background),
            ("--footer-text-color", footer_text),
            ("--accent", &colors.accent),
        ];
        let rules: String = rules.into_iter().map(|(name, value)| format!("{name}:{};", hex_colour(value))).collect();
        let scheme = if colors.scheme == "light" { "light" } else { "dark" };
        let ink = ink_on(rgb(&colors.accent));
        format!(":root:root{{color-scheme:{scheme};{rules}--on-accent:{ink};}}\n{NOT_OUTDATED}\n")
    }
}

/// Hides the notice for older browsers. All browsers that the site is built for have `color-mix`, and hardly older ones.
const NOT_OUTDATED: &str = "@supports (color:color-mix(in srgb,red,red)){#outdated{display:none}}";

/// A hex colour, or black. Nothing else from a channel's file may reach a style sheet.
fn hex_colour(text: &str) -> &str {
    let digits = text.strip_prefix('#').unwrap_or_default();
    if digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) { text } else { "#000000" }
}

/// The minimum contrast of small text.
const READABLE: f64 = 4.5;

/// The text colour on an accent, as in `colour.ts`: white, or almost black with a tint of the accent, whichever has
/// more contrast.
fn ink_on(accent: [u8; 3]) -> String {
    let accent = accent.map(f64::from);
    let tinted = accent.map(|channel_value| channel_value * 0.1);
    let black = [0.0; 3];
    let dark = if contrast(tinted, accent) >= READABLE { tinted } else { black };
    let ink = if contrast([255.0; 3], accent) >= contrast(dark, accent) { [255.0; 3] } else { dark };
    ink.iter().fold("#".to_owned(), |text, channel_value| {
        format!("{text}{channel_value:02x}", channel_value = channel_value.round() as u8)
    })
}

/// WCAG contrast, from 1 (equal) to 21 (black on white).
fn contrast(first: [f64; 3], second: [f64; 3]) -> f64 {
    let luminance = |colour: [f64; 3]| {
        let [red, green, blue] = colour.map(|channel_value| {
            let share = channel_value / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    };
    let (one, other) = (luminance(first), luminance(second));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

pub(crate) fn rgb(text: &str) -> [u8; 3] {
    let mut rgb = [0; 3];
    // An invalid colour is black by now.
    let _decoded = hex::decode_to_slice(&hex_colour(text)[1..], &mut rgb).is_ok();
    rgb
}

/// The lookup of a shared clip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shared {
    Clip {
        name: String,
        /// The event it was cut from.
        event_id: Option<i64>,
        /// The library video it was cut from.
        vod_id: Option<i64>,
    },
    Missing,
    /// The lookup failed.
    Unknown,
}
