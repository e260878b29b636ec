//! What a channel shows (`EVENT-1`, `PKG-1`, `SUB-1`, `VOD-1`). The same for every viewer of one entitlement, and cached
//! as such.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// An event: one game, meet or show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Event {
    /// Its id.
    pub id: i64,
    /// Its name. With two participants the site shows "away short name @ home short name" instead.
    pub name: String,
    /// What its listing says it is; see [`EventType`].
    #[serde(rename = "type")]
    pub kind: EventType,
    /// What a viewer needs to watch it.
    pub access_type: AccessType,
    /// Whether the asking viewer may watch it now.
    pub has_access: bool,
    /// When it starts, Unix seconds.
    pub event_utc_ts: i64,
    /// IANA time zone of its place.
    pub time_zone: String,
    /// How long it lasts (or lasted), seconds.
    pub duration_s: i64,
    /// Its category.
    pub event_category_id: i64,
    /// Its place.
    pub location_id: i64,
    /// Which of the participants is at home.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home_team_id: Option<i64>,
    /// Where it stands.
    pub stream_status: StreamStatus,
    /// Minor units; 0 when it is not sold singly.
    pub base_price: i64,
    /// Minor units.
    pub service_fee: i64,
    /// ISO 4217.
    pub currency: String,
    /// What buying it singly is called with; absent when it is not sold singly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub single_event_package_id: Option<i64>,
    /// A few sentences.
    #[serde(default)]
    pub description: String,
    /// The teams, away first.
    pub participants: Vec<Participant>,
    /// Pictures and videos. A URL of paid media is signed, and there only with access.
    pub media: Vec<Media>,
    /// Grows with each change of `stream_status`.
    pub version: i64,
}

/// What a listing says an event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EventType {
    /// Sold.
    Paid,
    /// Anything else.
    Other,
}

/// What a viewer needs to watch an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AccessType {
    /// Nothing.
    Free,
    /// A package or subscription that covers it, or the event itself.
    Paid,
    /// An account.
    Register,
    /// The event itself, bought singly.
    Ppv,
}

/// Where an event stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StreamStatus {
    /// It has not begun.
    Upcoming,
    /// It is on.
    Live,
    /// It is over, and can be watched on demand.
    Finished,
}

/// A team, or whoever else takes part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Participant {
    /// Its id.
    pub id: i64,
    /// E.g. `Northfield Kestrels`.
    pub name: String,
    /// E.g. `Northfield`.
    pub short_name: String,
    /// For links.
    pub alias: String,
    /// URLs; the first one is the crest.
    pub images: Vec<String>,
    /// `#rrggbb`.
    pub color: String,
    /// The second colour of its kit, `#rrggbb`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_color: Option<String>,
    /// The school that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_id: Option<i64>,
    /// Such as `gender` (`male`, `female`), `sport`, `league`, `nickname`.
    #[serde(default)]
    pub properties: BTreeMap<String, String>,
}

/// A school: a group of participants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ParticipantGroup {
    /// Its id.
    pub id: i64,
    /// E.g. `Northfield`.
    pub name: String,
    /// For links.
    pub alias: String,
    /// URLs; the first one is the crest.
    pub images: Vec<String>,
    /// `#rrggbb`.
    pub color: String,
    /// What its teams are called, e.g. `Kestrels`.
    #[serde(default)]
    pub nickname: String,
    /// Such as `league`, `city`, `state`.
    #[serde(default)]
    pub properties: BTreeMap<String, String>,
}

/// A property that participant groups have, and the values it takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ParticipantGroupProperty {
    /// Its key in `properties`.
    pub key: String,
    /// Its name on the site.
    pub name: String,
    /// The values that occur.
    pub values: Vec<String>,
}

/// A node of the category tree; a top one is a sport.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EventCategory {
    /// Its id.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// For links.
    pub alias: String,
    /// Which floor markings its posters have: `basketball`, `hockey`, `volleyball`, `soccer`, `football`, `wrestling`, …
    #[serde(default)]
    pub sport: String,
    /// The nodes below it.
    #[serde(default)]
    #[schema(no_recursion)]
    pub children: Vec<EventCategory>,
}

/// A place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EventLocation {
    /// Its id.
    pub id: i64,
    /// E.g. `Kestrel Fieldhouse`.
    pub name: String,
    /// E.g. `Northfield`.
    pub city: String,
    /// E.g. `MN`.
    pub state: String,
    /// ISO 3166-1 alpha-2.
    pub country_code: String,
    /// IANA name.
    pub time_zone: String,
}

/// A picture or a video.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Media {
    /// Its id (`event_media_id` of a clip).
    pub id: i64,
    /// 1 image, 2 live, 3 vod, 4 embedded, 5 thumbnails, 6 preview, 7 preview_alt, 8 embedded_preview.
    #[serde(rename = "type")]
    #[schema(minimum = 1, maximum = 8)]
    pub kind: u8,
    /// Where it is. Absent where the viewer has no access.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Until when a signed URL works, Unix seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<i64>,
    /// How long it is, seconds; 0 for a picture or a live stream.
    #[serde(default)]
    pub duration_s: f64,
}

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
    /// The analytics profile key.
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

/// A package: many events for one price.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Package {
    /// Its id.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// What it costs in all, minor units: `base_price` and `service_fee`.
    pub price: i64,
    /// Minor units.
    pub base_price: i64,
    /// Minor units.
    pub service_fee: i64,
    /// ISO 4217.
    pub currency: String,
    /// `package`, `pass` (sold as a season or team pass) or `single_event`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether it is for one team, to be chosen.
    pub is_team_pass: bool,
    /// The categories it covers, with everything below them.
    pub event_categories: Vec<i64>,
    /// The teams that can be chosen, of a team pass.
    #[serde(default)]
    pub participants: Vec<i64>,
    /// Lower stands first.
    pub weight: i64,
    /// What it offers, e.g. `season`.
    #[serde(default)]
    pub offer: String,
    /// How long it lasts, e.g. `season`, `month`, `day`.
    #[serde(default)]
    pub period: String,
    /// How long it lasts, days; 0 for ever.
    #[serde(default)]
    pub period_days: i64,
    /// A sentence.
    #[serde(default)]
    pub description: String,
    /// Categories that the asking viewer already has: the package is purchased when they cover all of its own.
    #[serde(default)]
    pub disabled_categories: Vec<i64>,
    /// Teams that the asking viewer already has a pass for: a team pass is purchased when they are all of its own.
    #[serde(default)]
    pub disabled_participants: Vec<i64>,
}

/// A subscription that can be bought.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Subscription {
    /// Its id.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// What one period costs in all, minor units.
    pub price: i64,
    /// Minor units.
    pub base_price: i64,
    /// Minor units.
    pub service_fee: i64,
    /// ISO 4217.
    pub currency: String,
    /// `annual` or `monthly`.
    pub offer: String,
    /// `annual`, `month` or `monthly`.
    pub period: String,
    /// Free days before the first payment; 0 for none.
    pub trial_period: i64,
    /// Lower stands first.
    pub weight: i64,
    /// A sentence.
    #[serde(default)]
    pub description: String,
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

/// A rail of videos.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct VodRail {
    /// Its id.
    pub id: i64,
    /// Its title.
    pub title: String,
    /// The videos.
    pub vod_media_items: Vec<VodMediaItem>,
}

/// A video of the library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct VodMediaItem {
    /// Its id.
    pub id: i64,
    /// Its title.
    pub title: String,
    /// When it was published, RFC 3339 UTC.
    pub date: String,
    /// A few sentences.
    #[serde(default)]
    pub description: String,
    /// Its category in the library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category_id: Option<i64>,
    /// What a viewer needs to watch it.
    pub access_type: AccessType,
    /// Whether the asking viewer may watch it now.
    pub has_access: bool,
    /// How long it is, seconds.
    pub duration_s: f64,
    /// A large figure for its poster, when it has no picture, e.g. `10`.
    #[serde(default)]
    pub figure: String,
    /// `#rrggbb`, of that poster.
    #[serde(default)]
    pub color: String,
    /// Pictures and previews.
    pub assets: Vec<VodAsset>,
    /// The video; its URL is signed, and there only with access.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media: Option<Media>,
}

/// A picture or a preview of a video.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VodAsset {
    /// `image` or `preview`.
    #[serde(rename = "type")]
    pub kind: String,
    /// URL.
    pub path: String,
}

/// A category of the library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VodMediaCategory {
    /// Its id.
    pub id: i64,
    /// Its title.
    pub title: String,
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

/// Where the viewer is taken to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Geo {
    /// Name of the country; empty when unknown.
    pub country: String,
    /// ISO 3166-1 alpha-2; empty when unknown.
    pub country_code: String,
    /// The viewer's address.
    #[schema(extensions(("x-personal" = json!(true))))]
    pub ip: String,
    /// Whether the channel's video is closed to that place.
    pub is_geo_blocked: bool,
}

/// Everything static of a channel in one answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Bootstrap {
    /// As `GET /color-settings/web`.
    pub color_settings: ColorSettings,
    /// As `GET /events-categories`.
    pub events_categories: Vec<EventCategory>,
    /// As `GET /events-locations`.
    pub events_locations: Vec<EventLocation>,
    /// As `GET /faq`.
    pub faq: Vec<Faq>,
    /// As `GET /menu`.
    pub menu: Menu,
    /// As `GET /packages`.
    pub packages: Vec<Package>,
    /// As `GET /pages`.
    pub pages: Vec<ContentPage>,
    /// As `GET /participant-groups`.
    pub participant_groups: Vec<ParticipantGroup>,
    /// As `GET /settings`.
    pub settings: Settings,
    /// As `GET /slides/web`, all types.
    pub slides: Vec<Slide>,
    /// As `GET /subscriptions`.
    pub subscriptions: Vec<Subscription>,
    /// As `GET /participant-group-properties`.
    pub participant_group_properties: Vec<ParticipantGroupProperty>,
}

/// A rail of events on the home page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HomeRail {
    /// `live`, `upcoming`, `finished` or a category's alias.
    pub id: String,
    /// What stands above it; empty for the three statuses, which the site names itself.
    #[serde(default)]
    pub title: String,
    /// How many there are in all.
    pub total: u64,
    /// The first of them.
    pub events: Vec<Event>,
}
