//! The channel's site: settings, colours, menus, slides, pages and forms.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::PictureFacts;

/// Supported languages of the site.
pub const LANGUAGES: [&str; 2] = ["en", "fr"];

/// Settings of the channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Settings {
    /// Name of the channel, such as `Northfield Sports Network`.
    #[schema(example = "Northfield Sports Network")]
    pub name: String,
    /// Short name, such as `Northfield`.
    #[schema(example = "Northfield")]
    pub short_name: String,
    /// Tagline displayed below the short name, such as `Sports Network`.
    #[serde(default)]
    #[schema(example = "Sports Network")]
    pub tagline: String,
    /// URL of the logo.
    #[serde(default)]
    #[schema(example = "/media/northfield/logo.svg")]
    pub logo: String,
    /// Language of the site: `en` or `fr`.
    #[schema(example = "en")]
    pub language: String,
    /// ISO 4217 currency code. Defaults to `USD`.
    #[schema(example = "USD")]
    pub currency: String,
    /// IANA time zone, used if the viewer's is unknown.
    #[serde(default)]
    #[schema(example = "America/Chicago")]
    pub time_zone: String,
    /// Tag manager container, such as `GTM-ABC1234`.
    #[serde(rename = "google-analytics", default, skip_serializing_if = "Option::is_none")]
    pub google_analytics: Option<String>,
    /// Analytics key of the channel. Without one, nothing is recorded.
    #[serde(rename = "yare-analytics", default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "northfield-demo")]
    pub yare_analytics: Option<String>,
    /// Analytics settings: whether the viewer's consent is required, and whether Do Not Track is respected.
    #[serde(default)]
    pub analytics: AnalyticsSettings,
    /// Sign-in settings.
    pub auth: AuthSettings,
    /// Prerolls.
    #[serde(default)]
    pub prerolls: Vec<Preroll>,
    /// Seconds after which a preroll can be skipped. Absent if it can't be skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 5, minimum = 0, maximum = 60)]
    pub preroll_skip_after_s: Option<u8>,
    /// Seconds before a viewer sees the same preroll again for the same event. Defaults to one hour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 3600, minimum = 0, maximum = 604_800)]
    pub preroll_period_s: Option<u32>,
    /// Clip settings.
    #[serde(default)]
    pub clips: ClipSettings,
    /// Texts for fixed slots on the site, by name.
    #[serde(default)]
    #[schema(example = json!({"footer": "Times are shown in your time zone."}))]
    pub static_blocks: BTreeMap<String, String>,
    /// The seller named on receipts. Defaults to the channel's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seller: Option<Seller>,
    /// Whether the site offers `/simulate`.
    #[serde(default)]
    #[schema(example = true)]
    pub simulate: bool,
    /// Whether payments use the sandbox. No money moves, and the site says so.
    #[serde(default)]
    #[schema(example = true)]
    pub sandbox_payments: bool,
    /// Stripe's publishable key, if payments use Stripe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stripe_publishable_key: Option<String>,
    /// URL of a replacement for Stripe's script. Defaults to Stripe's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stripe_script_url: Option<String>,
    /// Site key of reCAPTCHA, if it is enabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recaptcha_site_key: Option<String>,
    /// Paths of the calls that aren't available. The site hides features that need them. Only present in front of an
    /// upstream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub switched_off: Option<Vec<String>>,
}

/// The seller named on receipts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Seller {
    /// Name of the operator.
    #[schema(example = "Northfield Sports Network LLC")]
    pub name: String,
    /// Postal address, one element per line.
    #[schema(example = "400 Kestrel Way, Northfield, MN 55057")]
    pub address: String,
    /// Contact for questions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schema(example = "help@northfieldsports.example")]
    pub contact: String,
}

/// Clip settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClipSettings {
    /// Whether clips of paid events and videos can be public.
    #[serde(default)]
    #[schema(example = false)]
    pub public_of_paid: bool,
}

/// Analytics settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AnalyticsSettings {
    /// Whether nothing is recorded before the viewer consents.
    #[serde(default)]
    #[schema(example = false)]
    pub consent: bool,
    /// Whether browsers that send Do Not Track or GPC are not recorded.
    #[serde(default)]
    #[schema(example = true)]
    pub respect_dnt: bool,
}

/// Sign-in settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuthSettings {
    /// Whether a device can be linked with a code: 1 or 0.
    #[serde(default)]
    #[schema(example = 1)]
    pub remote_auth: u8,
    /// Social login providers: any of `google` and `facebook`.
    #[serde(default)]
    #[schema(example = json!(["google"]))]
    pub providers: Vec<String>,
}

/// A preroll ad.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Preroll {
    /// Unique identifier.
    #[schema(example = 3)]
    pub id: i64,
    /// URL of the playlist.
    #[schema(example = "/media/northfield/s/p3/open/master.m3u8")]
    pub url: String,
    /// Relative weight in the random choice among matching prerolls.
    #[schema(example = 3.0)]
    pub weight: f64,
    /// If set, only for events at this location.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 2)]
    pub location_id: Option<i64>,
    /// If not empty, only for events in these categories and their subcategories.
    #[serde(default)]
    #[schema(example = json!([20]))]
    pub event_categories: Vec<i64>,
    /// Whether it plays before videos on demand.
    #[schema(example = true)]
    pub for_vod: bool,
    /// Whether it plays before live video.
    #[schema(example = true)]
    pub for_live: bool,
}

/// A content page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContentPage {
    /// Unique identifier.
    #[schema(example = 1)]
    pub id: i64,
    /// Path on the site, such as `/about`.
    #[schema(example = "/about")]
    pub url: String,
    /// URL alias.
    #[schema(example = "about")]
    pub alt_name: String,
    /// Title.
    #[schema(example = "About")]
    pub name: String,
    /// Content as Markdown paragraphs (headings, lists, links, emphasis). Only in `GET /pages/{id}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "Northfield Sports Network shows school and college sports of the upper Midwest.")]
    pub content: Option<String>,
}

/// Menus of the site.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Menu {
    /// Links in the header.
    #[serde(default)]
    pub header: Vec<MenuLink>,
    /// Links in the footer.
    #[serde(default)]
    pub footer: Vec<MenuLink>,
    /// Schools.
    #[serde(default)]
    pub groups: Vec<MenuItem>,
    /// Teams.
    #[serde(default)]
    pub participants: Vec<MenuItem>,
}

/// A link in a menu.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MenuLink {
    /// Label.
    #[schema(example = "Schedule")]
    pub name: String,
    /// Path on the site.
    #[schema(example = "/schedule")]
    pub url: String,
}

/// A school or a team in a menu.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MenuItem {
    /// Unique identifier.
    #[schema(example = 1)]
    pub id: i64,
    /// Label.
    #[schema(example = "Northfield")]
    pub name: String,
    /// URL alias, for the link's query.
    #[schema(example = "northfield")]
    pub alias: String,
    /// URLs of images.
    #[serde(default)]
    #[schema(example = json!(["/media/northfield/crests/northfield.svg"]))]
    pub images: Vec<String>,
}

/// The channel's colour scheme.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ColorSettings {
    /// `dark` or `light`.
    #[schema(example = "dark")]
    pub scheme: String,
    /// Background of the header, `#rrggbb`.
    #[schema(example = "#091222")]
    pub header_background: String,
    /// Text of the header, `#rrggbb`.
    #[schema(example = "#f5f0e6")]
    pub header_text_color: String,
    /// Background of the page, `#rrggbb`.
    #[schema(example = "#0c172a")]
    pub body_background: String,
    /// Text of the page, `#rrggbb`.
    #[schema(example = "#f5f0e6")]
    pub body_text_color: String,
    /// Background of the footer, `#rrggbb`.
    #[schema(example = "#070e1a")]
    pub footer_background: String,
    /// Text of the footer, `#rrggbb`. Defaults to `header-text-color`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "#f5f0e6")]
    pub footer_text_color: Option<String>,
    /// Accent colour, `#rrggbb`.
    #[schema(example = "#ff6b2c")]
    pub accent: String,
}

/// A slide at the top of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Slide {
    /// Unique identifier.
    #[schema(example = 1)]
    pub id: i64,
    /// Type of page that the slide belongs to: `category`, `participant` or `group`. Absent for the home page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slidable_type: Option<String>,
    /// ID of the category, participant or group that the slide belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slidable_id: Option<i64>,
    /// Headline. Defaults to the event's title.
    #[serde(default)]
    #[schema(example = "")]
    pub title: String,
    /// Text below the headline, one sentence.
    #[serde(default)]
    #[schema(example = "Tip-off of the Prairie Conference season, from Kestrel Fieldhouse, Northfield.")]
    pub text: String,
    /// URL of the image.
    #[serde(default)]
    #[schema(example = "/media/northfield/slides/tip-off.svg")]
    pub image: String,
    /// Metadata for displaying the image before it loads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<PictureFacts>,
    /// Target of the button, a path on the site.
    #[serde(default)]
    #[schema(example = "/watch/1")]
    pub link: String,
    /// Label of the button.
    #[serde(default)]
    #[schema(example = "Event details")]
    pub button: String,
    /// ID of the event that the slide announces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 1)]
    pub event_id: Option<i64>,
}

/// A frequently asked question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Faq {
    /// Unique identifier.
    #[schema(example = 1)]
    pub id: i64,
    /// The question.
    #[schema(example = "What do I need to watch?")]
    pub question: String,
    /// The answer, in Markdown.
    #[schema(example = "A current browser on a phone, tablet, computer or television.")]
    pub answer: String,
    /// Heading that groups related questions.
    #[serde(default)]
    #[schema(example = "Watching")]
    pub section: String,
}

/// A custom form of the channel, retrieved by alias.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CustomForm {
    /// Unique identifier.
    #[schema(example = 1)]
    pub id: i64,
    /// Alias, such as `contact`.
    #[schema(example = "contact")]
    pub alias: String,
    /// Title.
    #[schema(example = "Write to us")]
    pub name: String,
    /// Fields of the form.
    pub fields: Vec<CustomFormField>,
}

/// Request body of `POST /custom-forms/{alias}`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FormSubmission {
    /// Values by field name, at most 5,000 characters each.
    #[schema(extensions(("x-personal" = json!(true))), example = json!({
        "name": "Robin Hale", "email": "robin@viewers.example", "topic": "Watching", "message": "The sound stops after a minute."
    }))]
    pub answers: BTreeMap<String, String>,
}

/// A field of a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CustomFormField {
    /// Key of the field.
    #[schema(example = "topic")]
    pub name: String,
    /// Label.
    #[schema(example = "What it is about")]
    pub label: String,
    /// `text`, `email`, `phone`, `textarea` or `select`.
    #[serde(rename = "type")]
    #[schema(example = "select")]
    pub kind: String,
    /// Whether the field is required.
    #[schema(example = true)]
    pub required: bool,
    /// Options of a `select`.
    #[serde(default)]
    #[schema(example = json!(["Watching", "Paying", "Clips", "Something else"]))]
    pub options: Vec<String>,
}

/// A popup of the channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Popup {
    /// Name of the component that displays it. The query key `modal` opens a popup by this name.
    #[schema(example = "welcome")]
    pub component: String,
    /// Attributes of the component.
    #[serde(default)]
    #[schema(example = json!({"title": "The winter pass is here", "button": "See the pass", "link": "/select-package/1"}), value_type = Object)]
    pub attributes: BTreeMap<String, Value>,
}
