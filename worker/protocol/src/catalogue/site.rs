//! What a channel makes of its site: settings, colours, menus, slides, pages, forms.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::PictureFacts;

/// The languages that the site speaks.
pub const LANGUAGES: [&str; 2] = ["en", "fr"];

/// The channel's settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Settings {
    /// The channel's name, e.g. `Northfield Sports Network`.
    #[schema(example = "Northfield Sports Network")]
    pub name: String,
    /// Its short name, e.g. `Northfield`.
    #[schema(example = "Northfield")]
    pub short_name: String,
    /// What stands under the short name, e.g. `Sports Network`.
    #[serde(default)]
    #[schema(example = "Sports Network")]
    pub tagline: String,
    /// URL of its logo.
    #[serde(default)]
    #[schema(example = "/media/northfield/logo.svg")]
    pub logo: String,
    /// `en` or `fr`.
    #[schema(example = "en")]
    pub language: String,
    /// ISO 4217; `USD` when the channel says nothing.
    #[schema(example = "USD")]
    pub currency: String,
    /// IANA name; times are shown in it when the viewer's is unknown.
    #[serde(default)]
    #[schema(example = "America/Chicago")]
    pub time_zone: String,
    /// The tag manager's container, such as `GTM-ABC1234`.
    #[serde(rename = "google-analytics", default, skip_serializing_if = "Option::is_none")]
    pub google_analytics: Option<String>,
    /// The channel's analytics key, without which nothing is recorded.
    #[serde(rename = "yare-analytics", default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "northfield-demo")]
    pub yare_analytics: Option<String>,
    /// Whether nothing is recorded without the viewer's consent, and whether Do-Not-Track silences them.
    #[serde(default)]
    pub analytics: AnalyticsSettings,
    /// Logging in.
    pub auth: AuthSettings,
    /// The prerolls.
    #[serde(default)]
    pub prerolls: Vec<Preroll>,
    /// From which second on a preroll may be skipped; absent: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 5, minimum = 0, maximum = 60)]
    pub preroll_skip_after_s: Option<u8>,
    /// For how long a preroll that a viewer saw is not shown to them before the same event again, seconds.
    /// An hour when it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 3600, minimum = 0, maximum = 604_800)]
    pub preroll_period_s: Option<u32>,
    /// Clips.
    #[serde(default)]
    pub clips: ClipSettings,
    /// Texts by name, for fixed places on the site.
    #[serde(default)]
    #[schema(example = json!({"footer": "Times are shown in your time zone."}))]
    pub static_blocks: BTreeMap<String, String>,
    /// Who sells, as receipts name them; the channel's name alone when it says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seller: Option<Seller>,
    /// Whether `/simulate` is offered.
    #[serde(default)]
    #[schema(example = true)]
    pub simulate: bool,
    /// Whether payments are `sandbox`: no money moves, and the site says so.
    #[serde(default)]
    #[schema(example = true)]
    pub sandbox_payments: bool,
    /// Stripe's publishable key, when payments are Stripe's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stripe_publishable_key: Option<String>,
    /// What stands for Stripe's script; absent: Stripe's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stripe_script_url: Option<String>,
    /// The site key of reCAPTCHA, when it is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recaptcha_site_key: Option<String>,
    /// The calls that nobody answers, by their paths: what needs one is not offered. Only in front of an upstream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub switched_off: Option<Vec<String>>,
}

/// Who sells: what stands on each receipt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Seller {
    /// The operator's name.
    #[schema(example = "Northfield Sports Network LLC")]
    pub name: String,
    /// Their address, a line after the other.
    #[schema(example = "400 Kestrel Way, Northfield, MN 55057")]
    pub address: String,
    /// Where questions go.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schema(example = "help@northfieldsports.example")]
    pub contact: String,
}

/// What viewers may do with clips.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClipSettings {
    /// Whether clips of events and videos that are paid for may be public, too.
    #[serde(default)]
    #[schema(example = false)]
    pub public_of_paid: bool,
}

/// How a channel treats analytics.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AnalyticsSettings {
    /// Nothing is recorded until the viewer consents.
    #[serde(default)]
    #[schema(example = false)]
    pub consent: bool,
    /// A browser that sends Do-Not-Track or GPC is not recorded.
    #[serde(default)]
    #[schema(example = true)]
    pub respect_dnt: bool,
}

/// How one logs in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuthSettings {
    /// A number treated as a boolean: whether a device can be linked by code.
    #[serde(default)]
    #[schema(example = 1)]
    pub remote_auth: u8,
    /// Social login, of `google` and `facebook`.
    #[serde(default)]
    #[schema(example = json!(["google"]))]
    pub providers: Vec<String>,
}

/// A spot before a video.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Preroll {
    /// Its id.
    #[schema(example = 3)]
    pub id: i64,
    /// Of its playlist.
    #[schema(example = "/media/northfield/s/p3/open/master.m3u8")]
    pub url: String,
    /// How likely it is drawn, beside the others that match.
    #[schema(example = 3.0)]
    pub weight: f64,
    /// Only for events at this place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 2)]
    pub location_id: Option<i64>,
    /// Only for events in these categories or below; empty for all.
    #[serde(default)]
    #[schema(example = json!([20]))]
    pub event_categories: Vec<i64>,
    /// For videos on demand.
    #[schema(example = true)]
    pub for_vod: bool,
    /// For live video.
    #[schema(example = true)]
    pub for_live: bool,
}

/// A content page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContentPage {
    /// Its id.
    #[schema(example = 1)]
    pub id: i64,
    /// Its path on the site, e.g. `/about`.
    #[schema(example = "/about")]
    pub url: String,
    /// For links.
    #[schema(example = "about")]
    pub alt_name: String,
    /// Its title.
    #[schema(example = "About")]
    pub name: String,
    /// Paragraphs of Markdown (headings, lists, links, emphasis); only in `GET /pages/{id}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "Northfield Sports Network shows school and college sports of the upper Midwest.")]
    pub content: Option<String>,
}

/// The site's menus.
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
    /// What it says.
    #[schema(example = "Schedule")]
    pub name: String,
    /// Where it leads, a path of the site.
    #[schema(example = "/schedule")]
    pub url: String,
}

/// A school or a team in a menu.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MenuItem {
    /// Its id.
    #[schema(example = 1)]
    pub id: i64,
    /// What it says.
    #[schema(example = "Northfield")]
    pub name: String,
    /// For the link's query.
    #[schema(example = "northfield")]
    pub alias: String,
    /// URLs.
    #[serde(default)]
    #[schema(example = json!(["/media/northfield/crests/northfield.svg"]))]
    pub images: Vec<String>,
}

/// The six colours of a channel and whether they are dark or light.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ColorSettings {
    /// `dark` or `light`.
    #[schema(example = "dark")]
    pub scheme: String,
    /// `#rrggbb`.
    #[schema(example = "#091222")]
    pub header_background: String,
    /// `#rrggbb`.
    #[schema(example = "#f5f0e6")]
    pub header_text_color: String,
    /// `#rrggbb`.
    #[schema(example = "#0c172a")]
    pub body_background: String,
    /// `#rrggbb`.
    #[schema(example = "#f5f0e6")]
    pub body_text_color: String,
    /// `#rrggbb`.
    #[schema(example = "#070e1a")]
    pub footer_background: String,
    /// `#rrggbb`; `header-text-color` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "#f5f0e6")]
    pub footer_text_color: Option<String>,
    /// `#rrggbb`.
    #[schema(example = "#ff6b2c")]
    pub accent: String,
}

/// A slide at the top of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Slide {
    /// Its id.
    #[schema(example = 1)]
    pub id: i64,
    /// `category`, `participant` or `group`; absent for the main slides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slidable_type: Option<String>,
    /// Of what the slide belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slidable_id: Option<i64>,
    /// Its headline; an event's title when absent.
    #[serde(default)]
    #[schema(example = "")]
    pub title: String,
    /// A sentence under it.
    #[serde(default)]
    #[schema(example = "Tip-off of the Prairie Conference season, from Kestrel Fieldhouse, Northfield.")]
    pub text: String,
    /// URL of its picture.
    #[serde(default)]
    #[schema(example = "/media/northfield/slides/tip-off.svg")]
    pub image: String,
    /// What is known of the picture before it is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<PictureFacts>,
    /// Where its button leads, a path of the site.
    #[serde(default)]
    #[schema(example = "/watch/1")]
    pub link: String,
    /// What its button says.
    #[serde(default)]
    #[schema(example = "Event details")]
    pub button: String,
    /// The event it announces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 1)]
    pub event_id: Option<i64>,
}

/// A question and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Faq {
    /// Its id.
    #[schema(example = 1)]
    pub id: i64,
    /// What is asked.
    #[schema(example = "What do I need to watch?")]
    pub question: String,
    /// Markdown.
    #[schema(example = "A current browser on a phone, tablet, computer or television.")]
    pub answer: String,
    /// The heading it stands under.
    #[serde(default)]
    #[schema(example = "Watching")]
    pub section: String,
}

/// A form of the channel, fetched by alias.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CustomForm {
    /// Its id.
    #[schema(example = 1)]
    pub id: i64,
    /// E.g. `contact`.
    #[schema(example = "contact")]
    pub alias: String,
    /// Its title.
    #[schema(example = "Write to us")]
    pub name: String,
    /// What it asks for.
    pub fields: Vec<CustomFormField>,
}

/// Body of `POST /custom-forms/{alias}`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FormSubmission {
    /// What was entered, by the fields' names; of one field 5,000 characters at most.
    #[schema(extensions(("x-personal" = json!(true))), example = json!({
        "name": "Robin Hale", "email": "robin@viewers.example", "topic": "Watching", "message": "The sound stops after a minute."
    }))]
    pub answers: BTreeMap<String, String>,
}

/// One field of a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CustomFormField {
    /// Its key.
    #[schema(example = "topic")]
    pub name: String,
    /// What it says.
    #[schema(example = "What it is about")]
    pub label: String,
    /// `text`, `email`, `phone`, `textarea` or `select`.
    #[serde(rename = "type")]
    #[schema(example = "select")]
    pub kind: String,
    /// Whether it must be filled in.
    #[schema(example = true)]
    pub required: bool,
    /// The choices of a `select`.
    #[serde(default)]
    #[schema(example = json!(["Watching", "Paying", "Clips", "Something else"]))]
    pub options: Vec<String>,
}

/// A popup of the channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Popup {
    /// Which component shows it; the query key `modal` opens one by this name.
    #[schema(example = "welcome")]
    pub component: String,
    /// What the component is given.
    #[serde(default)]
    #[schema(example = json!({"title": "The winter pass is here", "button": "See the pass", "link": "/select-package/1"}), value_type = Object)]
    pub attributes: BTreeMap<String, Value>,
}
