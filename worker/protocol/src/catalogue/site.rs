//! What a channel makes of its site: settings, colours, menus, slides, pages, forms.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// The channel's settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Settings {
    /// The channel's name, e.g. `Northfield Sports Network`.
    pub name: String,
    /// Its short name, e.g. `Northfield`.
    pub short_name: String,
    /// What stands under the short name, e.g. `Sports Network`.
    #[serde(default)]
    pub tagline: String,
    /// URL of its logo.
    #[serde(default)]
    pub logo: String,
    /// `en` or `fr`.
    pub language: String,
    /// ISO 4217; `USD` when the channel says nothing.
    pub currency: String,
    /// IANA name; times are shown in it when the viewer's is unknown.
    #[serde(default)]
    pub time_zone: String,
    /// The tag manager's container, such as `GTM-ABC1234`.
    #[serde(rename = "google-analytics", default, skip_serializing_if = "Option::is_none")]
    pub google_analytics: Option<String>,
    /// The channel's analytics key, without which nothing is recorded.
    #[serde(rename = "yare-analytics", default, skip_serializing_if = "Option::is_none")]
    pub yare_analytics: Option<String>,
    /// Whether nothing is recorded without the viewer's consent, and whether Do-Not-Track silences them.
    #[serde(default)]
    pub analytics: AnalyticsSettings,
    /// Logging in.
    pub auth: AuthSettings,
    /// The prerolls.
    #[serde(default)]
    pub prerolls: Vec<Preroll>,
    /// Texts by name, for fixed places on the site.
    #[serde(default)]
    pub static_blocks: BTreeMap<String, String>,
    /// Whether `/simulate` is offered.
    #[serde(default)]
    pub simulate: bool,
    /// Whether payments are `sandbox`: no money moves, and the site says so.
    #[serde(default)]
    pub sandbox_payments: bool,
    /// Stripe's publishable key, when payments are Stripe's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stripe_publishable_key: Option<String>,
    /// The site key of reCAPTCHA, when it is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recaptcha_site_key: Option<String>,
}

/// How a channel treats analytics.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AnalyticsSettings {
    /// Nothing is recorded until the viewer consents.
    #[serde(default)]
    pub consent: bool,
    /// A browser that sends Do-Not-Track or GPC is not recorded.
    #[serde(default)]
    pub respect_dnt: bool,
}

/// How one logs in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuthSettings {
    /// A number treated as a boolean: whether a device can be linked by code.
    #[serde(default)]
    pub remote_auth: u8,
    /// Social login, of `google` and `facebook`.
    #[serde(default)]
    pub providers: Vec<String>,
}

/// A spot before a video.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Preroll {
    /// Its id.
    pub id: i64,
    /// Of its playlist.
    pub url: String,
    /// How likely it is drawn, beside the others that match.
    pub weight: f64,
    /// Only for events at this place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location_id: Option<i64>,
    /// Only for events in these categories or below; empty for all.
    #[serde(default)]
    pub event_categories: Vec<i64>,
    /// For videos on demand.
    pub for_vod: bool,
    /// For live video.
    pub for_live: bool,
}

/// A content page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContentPage {
    /// Its id.
    pub id: i64,
    /// Its path on the site, e.g. `/about`.
    pub url: String,
    /// For links.
    pub alt_name: String,
    /// Its title.
    pub name: String,
    /// Paragraphs of Markdown (headings, lists, links, emphasis); only in `GET /pages/{id}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
    pub name: String,
    /// Where it leads, a path of the site.
    pub url: String,
}

/// A school or a team in a menu.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MenuItem {
    /// Its id.
    pub id: i64,
    /// What it says.
    pub name: String,
    /// For the link's query.
    pub alias: String,
    /// URLs.
    #[serde(default)]
    pub images: Vec<String>,
}

/// The six colours of a channel and whether they are dark or light.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ColorSettings {
    /// `dark` or `light`.
    pub scheme: String,
    /// `#rrggbb`.
    pub header_background: String,
    /// `#rrggbb`.
    pub header_text_color: String,
    /// `#rrggbb`.
    pub body_background: String,
    /// `#rrggbb`.
    pub body_text_color: String,
    /// `#rrggbb`.
    pub footer_background: String,
    /// `#rrggbb`; `header-text-color` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub footer_text_color: Option<String>,
    /// `#rrggbb`.
    pub accent: String,
}

/// A slide at the top of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Slide {
    /// Its id.
    pub id: i64,
    /// `category`, `participant` or `group`; absent for the main slides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slidable_type: Option<String>,
    /// Of what the slide belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slidable_id: Option<i64>,
    /// Its headline; an event's title when absent.
    #[serde(default)]
    pub title: String,
    /// A sentence under it.
    #[serde(default)]
    pub text: String,
    /// URL of its picture.
    #[serde(default)]
    pub image: String,
    /// Where its button leads, a path of the site.
    #[serde(default)]
    pub link: String,
    /// What its button says.
    #[serde(default)]
    pub button: String,
    /// The event it announces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<i64>,
}

/// A question and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Faq {
    /// Its id.
    pub id: i64,
    /// What is asked.
    pub question: String,
    /// Markdown.
    pub answer: String,
    /// The heading it stands under.
    #[serde(default)]
    pub section: String,
}

/// A form of the channel, fetched by alias.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CustomForm {
    /// Its id.
    pub id: i64,
    /// E.g. `contact`.
    pub alias: String,
    /// Its title.
    pub name: String,
    /// What it asks for.
    pub fields: Vec<CustomFormField>,
}

/// One field of a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CustomFormField {
    /// Its key.
    pub name: String,
    /// What it says.
    pub label: String,
    /// `text`, `email`, `phone`, `textarea` or `select`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether it must be filled in.
    pub required: bool,
    /// The choices of a `select`.
    #[serde(default)]
    pub options: Vec<String>,
}

/// A popup of the channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Popup {
    /// Which component shows it; the query key `modal` opens one by this name.
    pub component: String,
    /// What the component is given.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub attributes: BTreeMap<String, Value>,
}
